// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

// The daemon as a whole.
extension Verb {
    /// `tokenctl unlock`: has the secret store ask for its password, or takes a file's passphrase.
    package static let unlock = Verb(
        "unlock",
        summary: "open the secret store; you are asked",
        details: [
            "Where the store is a file, its passphrase is asked for here, unseen,",
            "or read from stdin where that is no terminal. The first one makes the file.",
        ],
        examples: ["tokenctl unlock"]
    ) { context throws(TokenctlError) in
        let result = try StoreOpening(context: context).result()
        let isOpen = result.state == .ready
        context.finish(result) {
            context.console.say(isOpen ? "The secret store is open." : "The secret store is still locked.")
        }
        return isOpen ? ExitCode.success : ExitCode.temporary
    }

    /// `tokenctl reload`: the configuration anew, and its faults.
    package static let reload = Verb(
        "reload",
        summary: "read the configuration again and list its faults",
        examples: ["tokenctl reload"]
    ) { context throws(TokenctlError) in
        let result = try context.ask(ConfigReload.self, NoParameters())
        let faults = result.faults.map(ConfigFault.init)
        context.finish(result) {
            faults.forEach { context.console.say($0.line) }
            if faults.isEmpty {
                context.console.say("The configuration was read again. It has no faults.")
            } else {
                context.console.sayNext(ConfigFault.steps(faults, isService: context.isService(faults)))
            }
        }
        return faults.isEmpty ? ExitCode.success : ExitCode.configuration
    }

    /// `tokenctl version`: also where no daemon runs.
    package static let version = Verb(
        "version",
        summary: "the versions of tokenctl and of the daemon",
        examples: ["tokenctl version"]
    ) { context throws(TokenctlError) in
        let hello: Hello.Result?
        do throws(TokenctlError) {
            hello = try context.ask(Hello.self, NoParameters(), timeout: .seconds(5)).result
        } catch {
            guard error.code == .daemonAbsent else { throw error }
            hello = nil
        }
        let document: JSONObject = [
            "tokenctl": .string(Program.version),
            "tokend": hello.map { .string($0.version) } ?? .null,
            "protocol": hello.map { .integer($0.protocolVersion) } ?? .null,
        ]
        context.finish(document) {
            context.console.print("tokenctl \(Program.version)")
            if let hello {
                let version = hello.version.isEmpty ? "?" : TerminalText.sanitized(hello.version)
                let number = hello.protocolVersion == 0 ? "" : " (protocol \(hello.protocolVersion))"
                context.console.print("tokend   \(version)\(number)")
            } else {
                context.console.print("tokend   not running")
            }
        }
        return ExitCode.success
    }
}

extension CommandContext {
    /// Whether systemd started the daemon; asked only where a fault wants it restarted.
    fileprivate func isService(_ faults: [ConfigFault]) -> Bool {
        guard faults.contains(where: { $0.mend == .restart }),
            let status = try? ask(Status.self, Status.Parameters())
        else { return true }
        return LogPlace(status.daemon) == nil
    }
}

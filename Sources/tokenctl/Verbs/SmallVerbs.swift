// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

/// `tokenctl refresh`, `pause` and `resume`.
struct BackgroundVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        let verb = context.invocation.verb
        let account = verb == .refresh ? try context.account() : context.invocation.account
        let result = try perform(verb, account)
        context.finish(result) {
            let what = account.map { TerminalText.sanitized($0) } ?? "all accounts"
            switch verb {
            case .refresh: context.console.say("Fetched a fresh token for \(what).")
            case .pause: context.console.say("Background refreshes are paused for \(what).")
            default: context.console.say("Background refreshes go on for \(what).")
            }
        }
        return ExitCode.success
    }

    private func perform(_ verb: Verb.Name, _ account: String?) throws(TokenctlError) -> JSONObject {
        let either = Status.Parameters(account: account)
        if verb == .pause { return try context.ask(AccountPause.self, either, account: account) }
        guard verb == .refresh, let account else {
            return try context.ask(AccountResume.self, either, account: account)
        }
        return try context.ask(AccountRefresh.self, AccountRefresh.Parameters(account: account), account: account)
    }
}

/// `tokenctl unlock`: has the secret store ask for its password, or takes a file's passphrase.
struct UnlockVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        let result = try StoreOpening(context: context).result()
        let isOpen = result["state"]?.string == "ready"
        context.finish(result) {
            context.console.say(isOpen ? "The secret store is open." : "The secret store is still locked.")
        }
        return isOpen ? ExitCode.success : ExitCode.temporary
    }
}

/// `tokenctl reload`: the configuration anew, and its faults.
struct ReloadVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        let result = try context.ask(ConfigReload.self, NoParameters())
        let faults = (result["faults"]?.array ?? []).compactMap(\.object).map(ConfigFault.init)
        context.finish(result) {
            faults.forEach { context.console.say($0.line) }
            if faults.isEmpty {
                context.console.say("The configuration is read anew; it has no faults.")
            } else {
                context.console.sayNext(ConfigFault.steps(faults, isService: isService(faults)))
            }
        }
        return faults.isEmpty ? ExitCode.success : ExitCode.configuration
    }
}

extension ReloadVerb {
    /// Whether systemd started the daemon; asked only where a fault wants it restarted.
    private func isService(_ faults: [ConfigFault]) -> Bool {
        guard faults.contains(where: { $0.mend == .restart }),
            let status = try? context.ask(Status.self, Status.Parameters())
        else { return true }
        return status["daemon"]?.object.flatMap(LogPlace.init) == nil
    }
}

/// `tokenctl version`: also where no daemon runs.
struct VersionVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        let hello: JSONObject?
        do throws(TokenctlError) {
            hello = try context.ask(Hello.self, NoParameters(), timeout: .seconds(5))
        } catch {
            guard error.code == .daemonAbsent else { throw error }
            hello = nil
        }
        var result: JSONObject = ["tokenctl": .string(Program.version)]
        result["tokend"] = hello?["version"] ?? .null
        result["protocol"] = hello?["protocol"] ?? .null
        context.finish(result) {
            context.console.print("tokenctl \(Program.version)")
            if let hello {
                let version = TerminalText.sanitized(hello["version"]?.string ?? "?")
                let number = hello["protocol"]?.int64.map { " (protocol \($0))" } ?? ""
                context.console.print("tokend   \(version)\(number)")
            } else {
                context.console.print("tokend   not running")
            }
        }
        return ExitCode.success
    }
}

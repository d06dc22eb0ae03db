// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

extension Verb {
    /// `tokenctl doctor`: what the daemon can see and what only this side can, in one list.
    package static let doctor = Verb(
        "doctor",
        operands: [.account],
        flags: .of(.trace),
        summary: "find out what is wrong, and how to fix it",
        details: [
            "Looks at the daemon, its socket and units, the secret store, the network,",
            "the clock and the accounts. With ACCOUNT it also asks for a token, as a program",
            "does. Ends with 0 only when nothing is wrong.",
            "With --trace the provider's metadata and keys are fetched, and a token request",
            "is made and not sent; secrets are shown as “…”, and so is what might be one.",
        ],
        examples: ["tokenctl doctor", "tokenctl doctor work --json", "tokenctl doctor --trace work"]
    ) { context throws(TokenctlError) in
        try DoctorVerb(context: context).run()
    }
}

extension Flag<Bool> {
    static var trace: Flag { Flag("--trace", "also show what the daemon and the provider exchange") }
}

/// What `doctor` does.
private struct DoctorVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        let examination = LocalExamination(context.world)
        let units = examination.userUnits()
        let (daemon, isThere) = daemon(examination.place(units: units))
        let accounts = isThere ? AccountExamination(context: context).checks() : []
        let own = isThere ? try daemonsOwn() : Doctor.Result(checks: [Self.unseen])
        let checks =
            daemon + examination.checks(units: units, needsBus: needsBus(isThere, own)) + accounts + own.checks
        let report = DoctorReport(checks)
        let console = context.console
        context.finish(Doctor.Result(checks: checks, trace: own.trace).encoded()) {
            report.lines(width: console.traits.width, palette: console.traits.outputPalette).forEach(console.print)
            let width = console.traits.outputIsTerminal ? console.traits.width : nil
            for exchange in own.trace ?? [] { DoctorTrace.lines(exchange, width: width).forEach(console.print) }
            console.say(report.summary)
        }
        return report.exitCode
    }

    /// Whether the store is one that the message bus leads to; nil where the daemon does not say which it has. One that
    /// does not run may have any.
    private func needsBus(_ isThere: Bool, _ own: Doctor.Result) -> Bool? {
        guard isThere else { return true }
        guard let store = own.checks.first(where: { $0.name.hasPrefix(Self.storeOf) }) else { return nil }
        let kind = StoreKind(rawValue: String(store.name.dropFirst(Self.storeOf.count)))
        return kind != .file && kind != .memory
    }

    private static let storeOf = "store of "

    /// Whether the daemon answers, and whether it is of the same version.
    private func daemon(_ place: DaemonPlace) -> ([Doctor.Check], isThere: Bool) {
        do throws(TokenctlError) {
            let hello = try context.ask(Hello.self, NoParameters(), timeout: .seconds(10))
            let version = hello.version.isEmpty ? "?" : TerminalText.sanitized(hello.version)
            let process = hello.pid == 0 ? "" : ", process \(hello.pid)"
            let answer = Doctor.Check("daemon", .ok, detail: "tokend \(version) answers\(process)")
            return ([answer, Self.versions(version, place.units)], true)
        } catch {
            guard !place.lacksFolder else {
                return ([Doctor.Check("daemon", .skip, detail: "not looked for: its socket has no place")], false)
            }
            let mend = error.code == .daemonAbsent ? DaemonStart.steps(place).first : error.next.first
            return ([Doctor.Check("daemon", .fail, detail: error.message, mend: mend)], false)
        }
    }

    private static func versions(_ daemon: String, _ units: UserUnits?) -> Doctor.Check {
        guard daemon != Program.version else { return .init("versions", .ok, detail: "both are \(daemon)") }
        return .init(
            "versions",
            .fail,
            detail: "tokend is \(daemon), tokenctl is \(Program.version)",
            mend: DaemonStart.again(isService: units?.isInstalled == true)
        )
    }

    private static let unseen = Doctor.Check("store and network", .skip, detail: "only the daemon sees them")

    /// What the daemon finds; its refusal is a finding too, but for an account that does not exist.
    private func daemonsOwn() throws(TokenctlError) -> Doctor.Result {
        var params = Doctor.Parameters(account: context.invocation.account)
        if context[.trace] { params.trace = true }
        context.console.spin("Looking at the store, the network and the clock…")
        do throws(TokenctlError) {
            let result = try context.ask(Doctor.self, params, timeout: .seconds(150))
            do throws(ProtocolError) {
                var found = try Doctor.Result(json: result.json)
                found.checks = found.checks.map(StoreProgram(context.world).named)
                return found
            } catch {
                return Doctor.Result(checks: [.init("daemon's checks", .fail, detail: error.message)])
            }
        } catch {
            if error.code == .accountUnknown { throw error }
            let outcome: Doctor.Check.Outcome = error.code == .methodNotFound ? .skip : .fail
            let check = Doctor.Check("daemon's checks", outcome, detail: error.message, mend: error.next.first)
            return Doctor.Result(checks: [check])
        }
    }
}

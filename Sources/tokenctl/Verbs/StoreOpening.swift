// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON
import TokendProtocol

/// Opens the secret store: the store's own prompt asks the user, or, where the store is a file, its passphrase is
/// asked for here.
struct StoreOpening {
    /// How often a user may mistype the passphrase.
    private static let attempts = 3
    private static let lengthLimit = 64 * 1024

    let context: CommandContext
    private var console: Console { context.console }

    /// Opens the store whose being locked made a call fail.
    func run(after refusal: TokenctlError) throws(TokenctlError) {
        if refusal.details.passphrase == nil {
            console.say("The secret store is locked. Its window asks for your password now…")
        }
        guard try result(after: refusal).state == .ready else {
            throw TokenctlError(
                .storeLocked,
                exitCode: ExitCode.temporary,
                "the secret store is still locked",
                next: ["tokenctl unlock"]
            )
        }
    }

    /// Opens the store; the result is that of `store.unlock`.
    func result(after refusal: TokenctlError? = nil) throws(TokenctlError) -> Answer<StoreUnlock.Result> {
        if let need = refusal?.details.passphrase { return try opened(need) }
        do throws(TokenctlError) {
            return try unlock(nil)
        } catch {
            guard let need = error.details.passphrase else { throw error }
            return try opened(need)
        }
    }

    /// - Parameter need: `needed`, or `new` where the passphrase makes the store.
    private func opened(_ need: ErrorDetails.Passphrase) throws(TokenctlError) -> Answer<StoreUnlock.Result> {
        guard console.traits.isInteractive else { return try unlock(try passphraseOnInput()) }
        return need == .new ? try unlock(try newPassphrase()) : try unlockAsking()
    }

    private func unlock(_ passphrase: Secret?) throws(TokenctlError) -> Answer<StoreUnlock.Result> {
        try context.ask(StoreUnlock.self, StoreUnlock.Parameters(passphrase: passphrase), timeout: .seconds(75))
    }

    private func unlockAsking() throws(TokenctlError) -> Answer<StoreUnlock.Result> {
        for _ in 1..<Self.attempts {
            do throws(TokenctlError) {
                return try unlock(try asked("Passphrase of the secret store:"))
            } catch {
                guard error.code == .storeLocked else { throw error }
                console.say("That is not its passphrase.")
            }
        }
        return try unlock(try asked("Passphrase of the secret store:"))
    }

    /// A mistyped one would lock the user out at the next start: it is typed twice.
    private func newPassphrase() throws(TokenctlError) -> Secret {
        console.say("There is no secret store yet: choose its passphrase. It cannot be recovered.")
        for _ in 1...Self.attempts {
            let passphrase = try asked("New passphrase:")
            if passphrase.isEmpty {
                console.say("It must not be empty.")
            } else if try asked("Once more:") == passphrase {
                return passphrase
            } else {
                console.say("The two are not the same.")
            }
        }
        throw TokenctlError(.input, exitCode: ExitCode.dataError, "no store was made", next: ["tokenctl unlock"])
    }

    private func asked(_ question: String) throws(TokenctlError) -> Secret {
        let interruption = context.takeOverSignals()
        switch console.askSecret(question, watching: interruption.descriptor) {
        case .line(let line): return try checked(line)
        case .end: throw missing
        case .interrupted: throw .interrupted(by: interruption.take() ?? 2, "interrupted")
        }
    }

    private func passphraseOnInput() throws(TokenctlError) -> Secret {
        var bytes: [UInt8]
        do throws(InputFault) {
            bytes = try console.readAll(limit: Self.lengthLimit)
        } catch {
            throw .unreadable("the passphrase from stdin", error)
        }
        if bytes.last == 0x0A { bytes.removeLast() }
        guard !bytes.isEmpty else { throw missing }
        return try checked(Secret(bytes: bytes))
    }

    /// The socket carries text alone, and a line's end would be a slip.
    private func checked(_ passphrase: Secret) throws(TokenctlError) -> Secret {
        let isText = passphrase.withUnsafeBytes { bytes in
            !bytes.contains(0x0A) && String(validating: bytes, as: UTF8.self) != nil
        }
        guard isText else {
            throw TokenctlError(
                .input,
                exitCode: ExitCode.dataError,
                "the passphrase must be one line of UTF-8 text"
            )
        }
        return passphrase
    }

    private var missing: TokenctlError {
        TokenctlError(
            .input,
            exitCode: ExitCode.noInput,
            "the secret store is a file and needs its passphrase, at a terminal or on stdin",
            next: context.invocation.verb == .unlock ? [] : ["tokenctl unlock"]
        )
    }
}

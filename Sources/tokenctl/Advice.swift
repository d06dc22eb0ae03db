// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
package import TokenClient
import TokendProtocol

/// Turns an error into advice: the message, the next command, the exit code. Pure.
package struct Advice: Sendable {
    /// The current verb; a corrected command line begins with it.
    package let verb: Verb
    /// The account that was named, if one was.
    package let account: String?
    /// The operands, for a corrected command line.
    package let operands: [String]
    /// Unix seconds, for the time phrases.
    package let now: Int64

    /// The inputs of the advice.
    package init(verb: Verb, account: String?, operands: [String] = [], now: Int64) {
        self.verb = verb
        self.account = account
        self.operands = operands
        self.now = now
    }

    /// How to make an account: it asks for the rest.
    package static func addAnAccount(_ name: String? = nil) -> String {
        "tokenctl account add" + (name.map { " \($0)" } ?? "")
    }

    /// The steps if no program provides the Secret Service.
    package static let storeSteps = [
        "start a keyring: gnome-keyring, KeePassXC or KWallet (as a Secret Service)",
        "or have an encrypted file: store: \"file\" in ~/.config/tokend/config.json5",
    ]

    /// The steps if one does, but cannot keep grants.
    package static func storeSteps(of provider: String?, isFrozen: Bool) -> [String] {
        switch provider {
        case "gnome-keyring-daemon"? where isFrozen: ["systemctl --user restart gnome-keyring-daemon"]
        case "keepassxc"? where isFrozen: ["pkill -x keepassxc; keepassxc"]
        case let name? where isFrozen: ["pkill -x \(ShellWord.quoted(name))   (it starts again when it is needed)"]
        case nil where isFrozen: ["log out and in again: the keyring's program does not answer"]
        case nil: storeSteps
        case "kwalletd5"?, "kwalletd6"?, "ksecretd"?: ["kwalletmanager5   (KDE's program for its wallets)"]
        case "keepassxc"?: ["keepassxc   (open a database, and expose a group to the Secret Service)"]
        case "gnome-keyring-daemon"?: ["seahorse   (“Passwords and Keys”)"]
        default: ["tokenctl doctor"]
        }
    }

    /// The error as `tokenctl` shows it.
    package func error(_ cause: TokenClientError) -> TokenctlError {
        let code = TokenctlError.Code(rawValue: cause.code.rawValue)
        let message = TerminalText.sanitized(cause.message, limit: 2000)
        guard let reply = cause.reply else {
            let steps = ownStep(code, account).map { [$0] } ?? Self.localSteps(cause.code)
            return TokenctlError(code, exitCode: Self.exitCode(cause.code), message, next: steps)
        }
        var error = TokenctlError(code, exitCode: reply.kind.exitCode, message)
        error.number = cause.number ?? Int64(reply.kind.code)
        error.data = reply.data
        error.next = steps(reply.kind, error.details)
        if code == .accountUnknown { return unknownAccount(error) }
        if let retryAt = cause.retryAt { error.message += " (try again \(TimePhrase.relative(retryAt, to: now)))" }
        return error
    }

    private static func exitCode(_ code: TokenClientError.Code) -> Int32 {
        switch code {
        case .untrustedPeer, .notAllowed: ExitCode.noPermission
        case .connectionLost, .timeout: ExitCode.temporary
        case .protocolViolation: ExitCode.protocolError
        default: ExitCode.unavailable
        }
    }

    /// The next step for this verb alone.
    private func ownStep(_ code: TokenctlError.Code, _ account: String?) -> String? {
        verb.advice[code]?(account.map { ShellWord.quoted(TerminalText.sanitized($0)) })
    }

    private static func localSteps(_ code: TokenClientError.Code) -> [String] {
        switch code {
        case .connectionLost, .timeout: ["tokenctl status"]
        default: []
        }
    }

    private func steps(_ kind: ErrorKind, _ details: ErrorDetails) -> [String] {
        let name = details.account.map { TerminalText.sanitized($0) } ?? account
        if let step = ownStep(TokenctlError.Code(kind), name) { return [step] }
        switch kind {
        case .loginRequired, .loginPending, .loginFailed, .loginUnknown, .tokenRejected:
            return ["tokenctl login" + suffix(name)]
        case .insufficientScope:
            guard let name else { return [] }
            let wanted = details.requested.map { ShellWord.inQuotes(TerminalText.sanitized($0)) }
            return ["tokenctl login" + suffix(name) + (wanted.map { " --scope \($0)" } ?? "")]
        case .storeLocked: return ["tokenctl unlock"]
        case .storeUnavailable where details.file != nil: return ["tokenctl doctor"]
        case .storeUnavailable: return Self.storeSteps(of: details.provider, isFrozen: details.isFrozen == true)
        case .accountExists: return ["tokenctl login" + suffix(name), "tokenctl account show" + suffix(name)]
        case .configInvalid: return mend(details)
        case .methodNotFound: return ["tokenctl version   (another version of tokend may run)"]
        case .providerUnreachable: return ["tokenctl doctor" + suffix(name)]
        case .internalError, .timeout: return ["tokenctl status" + suffix(name)]
        default: return []
        }
    }

    /// A fault with a location is fixed in its file; the daemon notices by itself.
    private func mend(_ details: ErrorDetails) -> [String] {
        guard let file = details.file, let line = details.line else { return [] }
        return ["fix \(TerminalText.sanitized(file)):\(line); tokend notices the change by itself"]
    }

    private func unknownAccount(_ error: TokenctlError) -> TokenctlError {
        let names = error.details.accounts.map { TerminalText.sanitized($0) }
        var error = error
        error.next = accountSteps(names)
        if let account, !names.isEmpty, let near = NearestName.of(account, among: names) {
            error.message = "there is no account “\(TerminalText.sanitized(account))”; did you mean “\(near)”?"
        }
        return error
    }

    /// The steps if the account is not clear: name an existing one, or make one.
    package func accountSteps(_ names: [String]) -> [String] {
        if let account, let near = NearestName.of(account, among: names) {
            return [command(near)]
        }
        let existing = names.prefix(6).map(command)
        guard names.isEmpty || (verb.makesAccounts && account != nil) else { return existing }
        return existing + [Self.addAnAccount(account.flatMap { AccountName.isValid($0) ? $0 : nil })]
    }

    /// The command line with that account, as complete as it was; missing operands are shown by name.
    private func command(_ name: String) -> String {
        let name = ShellWord.quoted(name)
        let isFlag = verb.flags.contains { $0.name == Flag.account.name }
        // Not every verb takes an account.
        guard isFlag || verb.accountIndex != nil else { return "tokenctl status \(name)" }
        var words = operands.map { ShellWord.quoted(TerminalText.sanitized($0)) }
        let needed = verb.operands.filter(\.isNeeded)
        words += needed.dropFirst(operands.count).map(\.placeholder.text)
        if let index = verb.accountIndex {
            words.replaceSubrange(min(index, words.count)..<min(index + 1, words.count), with: [name])
        } else {
            words += [Flag.account.name, name]
        }
        if case .command(let what) = verb.tail { words += ["--", what] }
        return (["tokenctl", verb.name] + words).joined(separator: " ")
    }

    private func suffix(_ name: String?) -> String {
        name.map { " " + ShellWord.quoted(TerminalText.sanitized($0)) } ?? ""
    }
}

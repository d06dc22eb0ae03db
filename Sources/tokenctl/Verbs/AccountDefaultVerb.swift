// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

extension Verb {
    /// `tokenctl account default`: which account is meant where none is named.
    package static let accountDefault = Verb(
        "account default",
        operands: [.account],
        summary: "the account that is meant where you name none",
        details: [
            "Without ACCOUNT it prints the default account's name. With it, default_account",
            "in your config.json5 is set; the rest of that file stays as it is.",
        ],
        examples: ["tokenctl account default work"]
    ) { context throws(TokenctlError) in
        let list = try context.ask(AccountList.self, NoParameters())
        guard let account = context.invocation.account else {
            context.finish(["default": list.defaultAccount.map { .string($0) } ?? .null]) {
                guard let name = list.defaultAccount else {
                    return context.console.say(
                        "No account is the default one; with a single account, that one is meant."
                    )
                }
                context.console.print(TerminalText.sanitized(name))
            }
            return ExitCode.success
        }
        guard list.accounts.contains(account) else { throw context.unknownAccount(list.accounts) }
        let folder = try context.ask(Status.self, Status.Parameters()).daemon.configFolder
        guard folder.hasPrefix("/") else {
            throw TokenctlError(
                .input,
                exitCode: ExitCode.configuration,
                "the daemon does not say where its configuration is"
            )
        }
        let path = folder + "/config.json5"
        let text = try SetupFile(path).text
        try PlainFile(path).write(try DefaultAccountEdit.text(text ?? "", account: account, file: path))
        let faults = try context.ask(ConfigReload.self, NoParameters()).faults.filter { $0.file == path }
        let shown = TerminalText.sanitized(path)
        context.finish(["default": .string(account), "file": .string(path)]) {
            context.console.say("\(account) is the default account now (\(shown)).")
            faults.map(ConfigFault.init).forEach { context.console.say($0.line) }
        }
        return faults.isEmpty ? ExitCode.success : ExitCode.configuration
    }
}

/// Sets `default_account` in the text of a `config.json5`; everything else stays, comments too. Pure.
package enum DefaultAccountEdit {
    private static let member = "default_account"

    /// - Throws: `input` where the text is no JSON5 object, so that it is not known where the setting goes.
    package static func text(_ old: String, account: String, file: String) throws(TokenctlError) -> String {
        let bytes = Array(old.utf8)
        let value = "\"\(account)\""
        guard bytes.contains(where: { !" \n\r\t".utf8.contains($0) }) else { return "{\n  \(member): \(value),\n}\n" }
        guard let object = (try? JSONReader(dialect: .json5).read(bytes))?.object else {
            throw TokenctlError(
                .input,
                exitCode: ExitCode.configuration,
                "\(TerminalText.sanitized(file)) is not valid, so nothing was changed",
                next: ["tokenctl reload   (says what is wrong)"]
            )
        }
        if let known = object.member(member) {
            return text(bytes, known.valueRange, value)
        }
        // Before the first member; an object without one ends where it begins.
        if let first = object.first(where: { _ in true }) {
            let place = first.nameRange.lowerBound
            return text(bytes, place..<place, "\(member): \(value),\n  ")
        }
        guard let end = bytes.lastIndex(of: UInt8(ascii: "}")) else { return old }
        return text(bytes, end..<end, "\n  \(member): \(value),\n")
    }

    private static func text(_ bytes: [UInt8], _ range: Range<Int>, _ new: String) -> String {
        String(decoding: bytes[..<range.lowerBound] + Array(new.utf8) + bytes[range.upperBound...], as: UTF8.self)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON
import TokendProtocol

/// New settings that replace an account's old ones: members that the command line cannot set are kept. Pure.
package struct AccountReplacement: Sendable, Equatable {
    /// The account's file from now on.
    package let config: JSONObject
    /// Settings of the old file that stay.
    package let kept: [String]
    /// Settings that were about the provider that the account leaves.
    package let dropped: [String]

    /// What is about this machine and its programs, and not about a provider.
    private static let local: Set = ["allow", "confirm", "administration", "refresh"]

    /// - Parameters:
    ///   - old: the account's file; nil where there is no such account.
    ///   - new: what was said.
    ///   - members: what could have been said: those are as they were said, or gone.
    package init(of old: JSONObject?, by new: JSONObject, saying members: Set<String>) {
        let old = old ?? [:]
        let moves = [AccountSetting.issuer, .provider, .set].contains { old[$0] != new[$0] }
        var config = new
        var kept: [String] = []
        var dropped: [String] = []
        for member in old where !members.contains(member.name) && new[member.name] == nil {
            guard !moves || Self.local.contains(member.name) else {
                dropped.append(member.name)
                continue
            }
            config[member.name] = member.value
            kept.append(member.name)
        }
        self.config = config
        self.kept = kept
        self.dropped = dropped
    }

    /// What to say of it.
    package var lines: [String] {
        func list(_ names: [String]) -> String { names.map { TerminalText.sanitized($0) }.joined(separator: ", ") }
        return (kept.isEmpty ? [] : ["Kept from the account's file: \(list(kept))."])
            + (dropped.isEmpty ? [] : ["Removed with the old provider: \(list(dropped))."])
    }
}

extension CommandContext {
    /// An account's file as it is; nil where there is no such account.
    ///
    /// - Throws: where it cannot be read: what it says of programs would be lost unseen.
    func config(of account: String) throws(TokenctlError) -> JSONObject? {
        do throws(TokenctlError) {
            return try ask(AccountShow.self, AccountShow.Parameters(account: account), account: account).config
        } catch {
            guard error.code == .accountUnknown else { throw error }
            return nil
        }
    }
}

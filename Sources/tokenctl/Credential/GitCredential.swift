// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// git's request to a credential helper (git-credential(1), INPUT/OUTPUT FORMAT), and the answer in the same form.
/// Pure.
package struct GitCredential: Sendable {
    private var values: [String: String] = [:]
    private var lists: [String: [String]] = [:]

    /// Reads `KEY=VALUE` lines up to a blank one; a key that ends in `[]` is a list, which an empty value clears.
    package init(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard !line.isEmpty else { break }
            let pair = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard pair.count == 2 else { continue }
            if !pair[0].hasSuffix("[]") {
                values[pair[0]] = pair[1]
            } else if pair[1].isEmpty {
                lists[pair[0]] = []
            } else {
                lists[pair[0], default: []].append(pair[1])
            }
        }
    }

    /// The value of a key.
    package subscript(key: String) -> String? { values[key] }

    /// The host of the credential; nil if it must not get a token.
    ///
    /// git decodes a URL's host: for `https://gitlab.com%2f.evil` it passes `gitlab.com/.evil`, which is invalid, and
    /// not the host `gitlab.com`.
    package var host: CredentialHost? {
        guard let scheme = values["protocol"], let host = values["host"] else { return nil }
        return CredentialHost(scheme: scheme, authority: host)
    }

    /// The form of the credential.
    package enum Form: Sendable, Equatable {
        /// A name and a password: supported by every git.
        case basic
        /// `Authorization: Bearer`, from git 2.46 on.
        case bearer
    }

    /// The form that server and git both support; nil if the server accepts no token.
    package var form: Form? {
        let schemes = AuthenticationChallenge.parse(lists["wwwauth[]"] ?? []).map(\.scheme)
        // A git before 2.41 does not pass the server's challenges.
        guard !schemes.isEmpty, !schemes.contains("basic") else { return .basic }
        guard schemes.contains("bearer") else { return nil }
        return lists["capability[]"]?.contains("authtype") == true ? .bearer : .basic
    }

    /// The answer to `get`.
    package static func answer(_ form: Form, token: String, user: String, expiresAt: Int64?) -> [String] {
        var lines: [String]
        switch form {
        case .basic: lines = ["username=\(user)", "password=\(token)"]
        // Other helpers must not store it: this one always has a fresh one.
        case .bearer: lines = ["capability[]=authtype", "authtype=Bearer", "credential=\(token)", "ephemeral=1"]
        }
        if let expiresAt { lines.append("password_expiry_utc=\(expiresAt)") }
        return lines
    }
}

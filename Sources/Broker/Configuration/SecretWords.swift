// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// Names that indicate a secret in a file.
enum SecretWords {
    private static let words = [
        "secret", "password", "passwd", "passphrase", "pwd", "credential", "assertion", "apikey", "privatekey",
        "refreshtoken", "accesstoken", "authtoken", "authorization", "cookie", "bearer", "codeverifier",
    ]

    /// Whether a parameter or a header of this name would hold a secret, whatever joins its words.
    static func occur(in name: String) -> Bool {
        let joined = name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != "." }
        return words.contains(where: joined.contains(text:))
    }

    /// What to do instead.
    static let advice =
        "secrets belong in the secret store, never in a file: a client's secret or key goes there with "
        + "tokenctl account secret, and client_authentication says how it is shown"
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets

/// One item of the Secret Service.
package struct KeyringItem: Sendable, Equatable {
    /// Its look-up attributes: flat strings, readable without unlocking. Without `xdg:schema`, which the keyring adds.
    package var attributes: [String: String]
    /// Its label in the user's password manager.
    package var label: String
    /// The content; stored as `application/json`.
    package var secret: Secret

    package init(attributes: [String: String], label: String, secret: Secret) {
        self.attributes = attributes
        self.label = label
        self.secret = secret
    }
}

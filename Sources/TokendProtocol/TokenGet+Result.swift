// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members
package import Secrets
package import StrictJSON

extension TokenGet {
    /// A token and its details. Times are unix seconds.
    package struct Result: MethodResult {
        /// Its account.
        package var account = ""
        /// The account's issuer.
        package var issuer = ""
        /// The access token.
        package var accessToken = Secret("")
        /// Its type: `Bearer`, `DPoP`, ….
        package var tokenType = ""
        /// Its scope, separated by spaces.
        package var scope = ""
        /// When it ends; nil if the provider does not say.
        package var expiresAt: Int64?
        /// How many seconds it is still valid.
        package var expiresIn: Int64?
        /// Whether there is a refresh token.
        package var renewable = false
        /// Whether it was fetched for this call.
        package var refreshed = false
        /// The ID token, if it was requested.
        package var idToken: Secret?
        /// When the ID token ends.
        package var idTokenExpiresAt: Int64?
        /// Members of the provider's answer that OAuth does not define.
        package var extra: JSONObject?
        /// The metadata of the login's redirect.
        package var metadata: JSONObject?

        /// A valid token without a known end, not fetched for this call.
        package init(
            account: String,
            issuer: String,
            accessToken: Secret,
            tokenType: String = "Bearer",
            scope: String,
            renewable: Bool
        ) {
            self.account = account
            self.issuer = issuer
            self.accessToken = accessToken
            self.tokenType = tokenType
            self.scope = scope
            self.renewable = renewable
            refreshed = false
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("account", \.account),
            .required("issuer", \.issuer),
            .required("access_token", \.accessToken),
            .required("token_type", \.tokenType),
            .required("scope", \.scope),
            .optional("expires_at", \.expiresAt),
            .optional("expires_in", \.expiresIn),
            .required("renewable", \.renewable),
            .required("refreshed", \.refreshed),
            .optional("id_token", \.idToken),
            .optional("id_token_expires_at", \.idTokenExpiresAt),
            .optional("extra", \.extra),
            .optional("metadata", \.metadata),
        ]

        /// Writes the result directly from the secrets' bytes: every cached token takes this path, and no `String` of a
        /// token is made.
        package func append(to output: inout [UInt8]) {
            output.reserveCapacity(output.count + accessToken.count + (idToken?.count ?? 0) + 512)
            appendHead(to: &output)
            append(",\"expires_in\":", expiresIn, to: &output)
            appendTail(to: &output)
        }

        /// The part before `expires_in`, the one member that changes while a token is held.
        func appendHead(to output: inout [UInt8]) {
            append("{\"account\":", account, to: &output)
            append(",\"issuer\":", issuer, to: &output)
            append(",\"access_token\":", accessToken, to: &output)
            append(",\"token_type\":", tokenType, to: &output)
            append(",\"scope\":", scope, to: &output)
            append(",\"expires_at\":", expiresAt, to: &output)
        }

        /// The part after `expires_in`.
        func appendTail(to output: inout [UInt8]) {
            append(renewable ? ",\"renewable\":true" : ",\"renewable\":false", to: &output)
            append(refreshed ? ",\"refreshed\":true" : ",\"refreshed\":false", to: &output)
            if let idToken {
                append(",\"id_token\":", idToken, to: &output)
            }
            append(",\"id_token_expires_at\":", idTokenExpiresAt, to: &output)
            if let extra {
                append(",\"extra\":", to: &output)
                JSONWriter.append(extra, to: &output)
            }
            if let metadata {
                append(",\"metadata\":", to: &output)
                JSONWriter.append(metadata, to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }

        private func append(_ name: StaticString, to output: inout [UInt8]) {
            name.withUTF8Buffer { output.append(contentsOf: $0) }
        }

        private func append(_ name: StaticString, _ text: String, to output: inout [UInt8]) {
            append(name, to: &output)
            JSONWriter.appendString(text, to: &output)
        }

        private func append(_ name: StaticString, _ secret: Secret, to output: inout [UInt8]) {
            append(name, to: &output)
            secret.withUnsafeBytes { JSONWriter.appendString(utf8: $0, to: &output) }
        }

        private func append(_ name: StaticString, _ number: Int64?, to output: inout [UInt8]) {
            guard let number else { return }
            append(name, to: &output)
            output.append(contentsOf: String(number).utf8)
        }
    }
}

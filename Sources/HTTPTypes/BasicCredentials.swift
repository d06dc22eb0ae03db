// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets

/// The value of an `Authorization` field with a client's identifier and password: both form-encoded
/// first, then joined by a colon, then base64 (RFC 6749, section 2.3.1).
package func basicCredentials(clientID: String, clientSecret: Secret, isEncoded: Bool = true) -> String {
    let secret = clientSecret.reveal()
    let pair =
        isEncoded ? FormParameters.encode(clientID) + ":" + FormParameters.encode(secret) : clientID + ":" + secret
    return "Basic " + Base64.encode(Array(pair.utf8))
}

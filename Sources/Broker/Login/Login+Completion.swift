// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

// Answers that do not come through the listener (RFC 8252, sections 7.1 and 7.2).
extension Login {
    /// The parameters of a URL that is this login's redirect; nil for any other.
    func parameters(of url: Secret) -> FormParameters? {
        guard let redirectURI = start?.redirectURI else { return nil }
        return RedirectURI.parameters(of: url.reveal(), for: redirectURI)
    }

    /// Whether the URL is the answer to this login.
    func isAnswer(_ url: Secret) -> Bool {
        parameters(of: url).map { pages.isAnswer($0) } ?? false
    }

    /// Members of this login's answer besides the code.
    func metadata(of url: Secret) -> LoginMetadata? {
        parameters(of: url).flatMap { pages.metadata(of: $0) }
    }

    /// Takes an answer that did not come through the listener.
    ///
    /// - Parameter added: metadata from the caller.
    /// - Throws: if that is over the limit; the login continues.
    func complete(_ url: Secret, adding added: JSONObject? = nil) throws(ProtocolError) {
        guard let parameters = parameters(of: url) else { return }
        take(try pages.completed(parameters, adding: added))
    }
}

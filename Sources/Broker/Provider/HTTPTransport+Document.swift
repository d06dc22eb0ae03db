// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth

extension HTTPTransport {
    /// Fetches a public document; follows at most three redirects within its origin.
    ///
    /// - Returns: the last answer, which may be a redirect that is not followed.
    func document(
        at url: WebURL,
        wire: WireSettings,
        timeout: Duration? = nil
    ) async throws(TransportError) -> HTTPResponse {
        let headers: HTTPHeaders = ["Accept": "application/json"]
        var place = url
        var response = try await send(HTTPRequest(url: place, headers: headers, timeout: timeout), wire: wire)
        for _ in 0..<DocumentRedirect.most {
            guard let target = DocumentRedirect.target(of: response, from: place) else { break }
            place = target
            response = try await send(HTTPRequest(url: place, headers: headers, timeout: timeout), wire: wire)
        }
        return response
    }
}

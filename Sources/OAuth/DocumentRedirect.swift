// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes

/// A redirect in answer to a request for a public document: metadata, keys, lists (RFC 9110, section 15.4).
///
/// It is followed only within the origin, where the redirecting server could have answered as well. Requests with
/// secrets are never redirected.
package enum DocumentRedirect {
    /// The most redirects for one document.
    package static let most = 3

    private static let statuses: Set<Int> = [301, 302, 303, 307, 308]

    /// The next URL of the document; nil if the answer is no redirect, or one that is not followed.
    package static func target(of response: HTTPResponse, from url: WebURL) -> WebURL? {
        location(of: response, from: url).flatMap { $0.origin == url.origin ? $0 : nil }
    }

    /// The status for a sentence; for a redirect that was not followed, with its target's server.
    static func status(of response: HTTPResponse, from url: WebURL?) -> String {
        let status = "HTTP \(response.status)"
        guard statuses.contains(response.status) else { return status }
        guard let url, let target = location(of: response, from: url) else { return status + ", a redirect to nowhere" }
        return target.origin == url.origin
            ? "\(status), one redirect after \(most) others"
            : "\(status), a redirect to \(DisplayText.sanitized(target.origin)), which is another server and not followed"
    }

    private static func location(of response: HTTPResponse, from url: WebURL) -> WebURL? {
        guard statuses.contains(response.status) else { return nil }
        return response.headers["Location"].flatMap { url.resolving($0) }
    }
}

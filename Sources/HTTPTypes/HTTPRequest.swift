// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets

/// A request as a value; the transport sends it unchanged and follows no redirect.
///
/// Its description has method, origin and path only: a query, a header or a body may hold a credential.
package struct HTTPRequest: Sendable {
    /// The request method.
    package var method: HTTPMethod

    /// The URL with its query.
    package var url: WebURL

    /// The fields that the caller sets; the transport adds `Host`, `Content-Length` and its own.
    package var headers: HTTPHeaders

    /// The body, if any; wiped with the request.
    package var body: Secret?

    /// The timeout of the whole exchange; nil: the transport's setting.
    package var timeout: Duration?

    /// A request; by default a GET without headers and body.
    package init(
        method: HTTPMethod = .get,
        url: WebURL,
        headers: HTTPHeaders = [:],
        body: Secret? = nil,
        timeout: Duration? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    /// Method, origin and path.
    package var description: String { "\(method.rawValue) \(url)" }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

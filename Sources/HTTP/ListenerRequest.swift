// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes

/// A whole request to the loopback listener. Nothing of it is decoded or trusted; its description leaves
/// query and body out, as a code may be in them.
package struct ListenerRequest: Sendable, CustomStringConvertible, CustomReflectable {
    package let method: HTTPMethod

    /// The path of the request's target, byte for byte.
    package let path: String

    /// What stands behind the first `?` of the target, byte for byte; nil without one.
    package let query: String?

    /// Every field in its order.
    package let headers: HTTPHeaders

    /// A form's bytes (`response_mode=form_post`), at most 64 KiB.
    package let body: [UInt8]

    /// Takes a request apart; nil for a target that is not a path (RFC 9112, section 3.2.1).
    init?(method: HTTPMethod, target: String, headers: HTTPHeaders, body: [UInt8]) {
        guard target.hasPrefix("/") else { return nil }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.method = method
        path = String(parts[0])
        query = parts.count > 1 ? String(parts[1]) : nil
        self.headers = headers
        self.body = body
    }

    /// The one `Host` field; nil where there is none, or more than one.
    package var host: String? {
        let all = headers.values(of: "Host")
        return all.count == 1 ? all[0] : nil
    }

    /// Whether `Host` is exactly this URL's host and port: a page of another site that has its name resolved
    /// to this machine (DNS rebinding) does not pass.
    package func isAddressed(to url: WebURL) -> Bool {
        host?.lowercased() == url.authority
    }

    /// Whether `Host` and path are exactly this URL's (RFC 8252, section 8.4); its query is not compared.
    package func matches(_ url: WebURL) -> Bool {
        isAddressed(to: url) && path == (url.path.isEmpty ? "/" : url.path)
    }

    /// Whether the browser only looks ahead (`Sec-Purpose: prefetch`, also `prefetch;prerender`; the older
    /// `Purpose` likewise): no person has come yet.
    package var isPrefetch: Bool {
        ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"].contains { name in
            headers.values(of: name).contains { value in
                let word = value.prefix { $0 != ";" && $0 != "," }.filter { !$0.isWhitespace }.lowercased()
                return ["prefetch", "prerender", "preview"].contains(word)
            }
        }
    }

    package var description: String { "\(method.rawValue) \(path)" }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes

/// A complete request to the loopback listener. It is neither decoded nor trusted; its description omits query and
/// body, which may contain a code.
package struct ListenerRequest: Sendable, CustomStringConvertible, CustomReflectable {
    package let method: HTTPMethod

    /// The path of the request's target, byte for byte.
    package let path: String

    /// The part after the first `?` of the target, byte for byte; nil without one.
    package let query: String?

    /// Every field in its order.
    package let headers: HTTPHeaders

    /// A form's bytes (`response_mode=form_post`), at most 64 KiB.
    package let body: [UInt8]

    /// Parses a request; nil for a target that is not a path, or has other characters than URLs (RFC 9112, section 3.2.1).
    init?(method: HTTPMethod, target: String, headers: HTTPHeaders, body: [UInt8]) {
        guard target.utf8.first == UInt8(ascii: "/"), target.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.method = method
        path = String(parts[0])
        query = parts.count > 1 ? String(parts[1]) : nil
        self.headers = headers
        self.body = body
    }

    /// The one `Host` field; nil if there is none, or more than one.
    package var host: String? {
        let all = headers.values(of: "Host")
        return all.count == 1 ? all[0] : nil
    }

    package var description: String { "\(method.rawValue) \(path)" }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// An answer as a test means it to stand on the wire; `Content-Length` and `Connection` are added on sending
/// unless the headers name them.
package struct WireResponse: Sendable {
    package var status: Int
    package var headers: [WireHeader]
    package var body: [UInt8]

    /// An answer with exactly these headers and this body.
    package init(status: Int, headers: [WireHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A text body of the given type.
    package static func text(_ text: String, type: String = "text/plain; charset=utf-8", status: Int = 200) -> Self {
        WireResponse(status: status, headers: [WireHeader("Content-Type", type)], body: Array(text.utf8))
    }

    /// An HTML page.
    package static func html(_ text: String, status: Int = 200) -> Self {
        .text(text, type: "text/html; charset=utf-8", status: status)
    }

    /// A JSON document with the header that RFC 6749, section 5.1, asks for.
    package static func json(_ object: JSONObject, status: Int = 200) -> Self {
        WireResponse(
            status: status,
            headers: [WireHeader("Content-Type", "application/json"), WireHeader("Cache-Control", "no-store")],
            body: JSONWriter.bytes(.object(object))
        )
    }

    /// A JSON document given as text, which may well be no JSON.
    package static func json(text: String, status: Int = 200) -> Self {
        .text(text, type: "application/json", status: status)
    }

    /// An error answer of RFC 6749, section 5.2.
    package static func oauthError(_ error: String, description: String? = nil, status: Int = 400) -> Self {
        var object: JSONObject = ["error": .string(error)]
        if let description { object["error_description"] = .string(description) }
        return .json(object, status: status)
    }

    /// A redirect; 303 so that a form's POST becomes a GET.
    package static func redirect(to location: String, status: Int = 303) -> Self {
        WireResponse(status: status, headers: [WireHeader("Location", location)])
    }

    /// Adds or replaces a header.
    package mutating func setHeader(_ name: String, _ value: String) {
        headers.removeAll { $0.name.lowercased() == name.lowercased() }
        headers.append(WireHeader(name, value))
    }

    /// Head and body as they go over the wire.
    package var bytes: [UInt8] { head + body }

    /// The status line and headers, up to and with the blank line.
    package var head: [UInt8] {
        var head = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
        for header in headers { head += "\(header.name): \(header.value)\r\n" }
        if !headers.contains(where: { ["content-length", "transfer-encoding"].contains($0.name.lowercased()) }) {
            head += "Content-Length: \(body.count)\r\n"
        }
        return Array((head + "\r\n").utf8)
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 302: "Found"
        case 303: "See Other"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 404: "Not Found"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: "Status"
        }
    }
}

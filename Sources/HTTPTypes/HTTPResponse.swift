// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A whole answer as a value, whatever its status.
///
/// Its description has status and size only: the body of a token endpoint's answer is a credential.
package struct HTTPResponse: Sendable {
    /// The status code (RFC 9110, section 15).
    package var status: Int

    /// The fields as received.
    package var headers: HTTPHeaders

    /// The content after decompression; limited by the transport.
    package var body: [UInt8]

    /// An answer.
    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The server's time of the answer, in seconds since 1970, if it has a readable `Date`.
    package var serverDate: Int? { headers["Date"].flatMap { HTTPDate.unixTime($0) } }

    /// The media type without parameters, in lower case (`application/json`), if there is one.
    package var mediaType: String? {
        guard let value = headers["Content-Type"] else { return nil }
        let type = value.prefix { $0 != ";" }
        return String(type).trimmingSpaces().asciiLowercased
    }
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
    /// Status and size.
    package var description: String { "HTTP \(status) (\(body.count) bytes)" }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// One header field as it stood on the wire.
package struct WireHeader: Sendable, Equatable {
    package let name: String
    package let value: String

    /// A field with the name as it is to be written; comparisons elsewhere ignore case.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Reads a header line; nil where it has no colon.
    init?(line: Substring) {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        self.init(String(line[..<colon]), String(value))
    }
}

/// A request as the test server read it: nothing is decoded beyond what HTTP/1.1 itself asks for.
package struct WireRequest: Sendable {
    package let method: String
    /// The request target as sent, with its query.
    package let target: String
    package let headers: [WireHeader]
    package let body: [UInt8]

    /// Assembles a request from its parts.
    package init(method: String, target: String, headers: [WireHeader] = [], body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// The target up to its question mark.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The target behind its first question mark, or nil where there is none.
    package var query: String? {
        guard let mark = target.firstIndex(of: "?") else { return nil }
        return String(target[target.index(after: mark)...])
    }

    /// Every value of the header `name`, in their order.
    package func headers(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// The first value of the header `name`.
    package func header(_ name: String) -> String? { headers(name).first }

    /// The query's parameters.
    package var queryParameters: WireParameters { WireParameters(query ?? "") }

    /// The body's parameters, read as a form whatever its content type says.
    package var formParameters: WireParameters { WireParameters(String(decoding: body, as: UTF8.self)) }
}

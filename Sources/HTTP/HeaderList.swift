// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CCurl
import Glibc
import HTTPTypes

/// A request's headers as a curl list; wiped at the end, since one may be a credential.
final class HeaderList {
    /// The first entry, nil for an empty list.
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    /// Fields that only the transport sets.
    private static let reserved = ["host", "content-length", "transfer-encoding", "connection", "expect", "te"]

    init(_ request: HTTPRequest) {
        for (name, value) in request.headers where !Self.reserved.contains(name.lowercased()) {
            // A field without a value is written with a semicolon; with a colon curl would omit it.
            append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        if request.headers["Content-Type"] == nil {
            append("Content-Type:")
        }
        append("Expect:")
    }

    deinit {
        var entry = first
        while let current = entry {
            if let data = current.pointee.data { explicit_bzero(data, strlen(data)) }
            entry = current.pointee.next
        }
        curl_slist_free_all(first)
    }

    private func append(_ line: String) {
        guard let grown = curl_slist_append(first, line) else { return }
        first = grown
    }
}

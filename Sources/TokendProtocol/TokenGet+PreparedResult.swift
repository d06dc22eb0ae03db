// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets

extension TokenGet {
    /// A result that is encoded once and answers many requests while its token is held: without `expires_in`, which
    /// changes by the second.
    package struct PreparedResult: Sendable {
        private let head: Secret
        private let tail: Secret

        /// Encodes the result without its `expiresIn`.
        package init(_ result: Result) {
            var head = Array(#","result":"#.utf8)
            var tail: [UInt8] = []
            result.appendHead(to: &head)
            result.appendTail(to: &tail)
            tail += "}\n".utf8
            self.head = Secret(bytes: head)
            self.tail = Secret(bytes: tail)
        }

        /// Appends the line that answers the request, identical to that of `ReplyMessage`.
        package func appendReply(to request: PlainRequest, expiresIn: Int64?, to output: inout [UInt8]) {
            append(request.form == .jsonRPC ? #"{"jsonrpc":"2.0","id":"# : #"{"id":"#, to: &output)
            output.append(contentsOf: request.id)
            head.withUnsafeBytes { output.append(contentsOf: $0) }
            if let expiresIn {
                append(#","expires_in":"#, to: &output)
                output.append(contentsOf: String(expiresIn).utf8)
            }
            tail.withUnsafeBytes { output.append(contentsOf: $0) }
        }

        private func append(_ text: StaticString, to output: inout [UInt8]) {
            text.withUTF8Buffer { output.append(contentsOf: $0) }
        }
    }
}

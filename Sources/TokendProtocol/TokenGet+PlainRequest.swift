// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension TokenGet {
    /// The most frequent request, read without a value for each member: `token.get` with an id and simple parameters.
    ///
    /// It accepts only what it fully understands. If `init` returns nil (a further parameter, an escape, an odd number,
    /// a mistake), `RequestMessage` reads the line in full and decides; otherwise both give the same result.
    package struct PlainRequest {
        /// The form of the request, and so of its reply.
        package let form: MessageForm
        /// The id's JSON text, in the line's memory: valid no longer than the line.
        package let id: UnsafeRawBufferPointer
        /// The account's name.
        package let account: String?
        /// The least validity in seconds.
        package let minValid: Int64?
        /// The caller's name for itself.
        package let application: String?

        /// Reads a line without its newline.
        package init?(line: UnsafeRawBufferPointer) {
            var scan = PlainScan(bytes: line)
            var found = PlainMembers()
            guard scan.readObject({ name, scan in found.take(name, &scan) }), scan.isAtEnd, found.isTokenGet,
                let id = found.id
            else { return nil }
            form = found.isJSONRPC ? .jsonRPC : .plain
            self.id = id
            account = found.account
            minValid = found.minValid
            application = found.application
        }
    }
}

/// The members found so far; `take` is false if the line is not plain.
private struct PlainMembers {
    private(set) var isJSONRPC = false
    private(set) var isTokenGet = false
    private(set) var id: UnsafeRawBufferPointer?
    private(set) var account: String?
    private(set) var minValid: Int64?
    private(set) var application: String?
    private var hasParameters = false
    private var hasTimeout = false

    mutating func take(_ name: UnsafeRawBufferPointer, _ scan: inout PlainScan) -> Bool {
        switch name.count {
        case 7 where name.reads("jsonrpc") && !isJSONRPC:
            isJSONRPC = scan.readQuoted()?.reads("2.0") ?? false
            return isJSONRPC
        case 2 where name.reads("id") && id == nil:
            id = scan.readStringOrInteger()
            return id != nil
        case 6 where name.reads("method") && !isTokenGet:
            isTokenGet = scan.readQuoted()?.reads("token.get") ?? false
            return isTokenGet
        case 6 where name.reads("params") && !hasParameters:
            hasParameters = true
            return scan.readObject { name, scan in takeParameter(name, &scan) }
        default:
            return false
        }
    }

    private mutating func takeParameter(_ name: UnsafeRawBufferPointer, _ scan: inout PlainScan) -> Bool {
        switch name.count {
        case 7 where name.reads("account") && account == nil:
            account = scan.readString()
            return account != nil
        case 9 where name.reads("min_valid") && minValid == nil:
            minValid = scan.readSeconds()
            return minValid != nil
        case 11 where name.reads("application") && application == nil:
            application = scan.readString()
            return application.map { $0.utf8.count <= TokenGet.Parameters.applicationLimit } ?? false
        case 7 where name.reads("timeout") && !hasTimeout:
            // A ready answer is always in time.
            hasTimeout = scan.readSeconds() != nil
            return hasTimeout
        default:
            return false
        }
    }
}

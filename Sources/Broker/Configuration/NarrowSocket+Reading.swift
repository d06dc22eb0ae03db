// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import TokendProtocol

extension NarrowSocket {
    /// Reads `sockets`: one object a socket, under its name.
    static func all(from reader: inout MemberReader) -> [NarrowSocket] {
        var sockets: [NarrowSocket] = []
        for name in reader.object.names {
            guard name != "tokend", AccountName.isValid(name) else {
                _ = reader.value(name)
                reader.fault(name, "cannot be a socket's name: letters, digits and ._@- only, and not “tokend”")
                continue
            }
            guard var inner = reader.inner(name) else { continue }
            if let socket = NarrowSocket(name, reading: &inner) { sockets.append(socket) }
            inner.finish()
            reader.add(inner.faults)
        }
        reader.finish()
        return sockets
    }

    /// nil if a fault makes the socket unusable.
    private init?(_ name: String, reading reader: inout MemberReader) {
        let path = reader.string("path") ?? "%t/tokend/\(name).sock"
        if !path.hasPrefix("/"), !path.hasPrefix("%t/") {
            reader.fault("path", "must be absolute, or begin with %t/ (the runtime folder)")
        } else if path.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            // The system would cut a path at a NUL.
            reader.fault("path", "must not have control characters")
        }
        let accounts = reader.strings("accounts") ?? []
        if accounts.isEmpty { reader.fault("accounts", "must name the accounts that are seen there") }
        self.init(name: name, path: path, accounts: Set(accounts))
        if let text = reader.string("mode") {
            switch text {
            case "0600": mode = 0o600
            case "0660": mode = 0o660
            case "0666": mode = 0o666
            default: reader.fault("mode", "is none of: \"0600\", \"0660\", \"0666\"")
            }
        }
        readUsers(from: &reader)
        readMethods(from: &reader)
        if let text = reader.string("scope") {
            scope = Scope(text)
            if Scope(text).isEmpty { reader.fault("scope", "names no scope") }
        }
        readEnd(from: &reader)
    }

    private mutating func readUsers(from reader: inout MemberReader) {
        guard let value = reader.value("uids") else { return }
        let numbers = value.array?.map { $0.int64.flatMap { UInt32(exactly: $0) } }
        guard let numbers, !numbers.contains(nil) else {
            reader.fault("uids", "must be a list of users' numbers")
            return
        }
        uids = Set(numbers.compactMap(\.self))
    }

    private mutating func readMethods(from reader: inout MemberReader) {
        guard let names = reader.strings("methods") else { return }
        if names.isEmpty { reader.fault("methods", "names none; leave it out for hello and token.get") }
        methods = []
        for name in names {
            guard let method = Method(rawValue: name), Self.possible.contains(method) else {
                let hint = ClosedWords.hint(for: name, among: Self.possible.map(\.rawValue).sorted())
                reader.fault(
                    "methods",
                    "“\(DisplayText.sanitized(name))” is no method that a further socket can have\(hint)"
                )
                continue
            }
            methods.insert(method)
        }
    }

    private mutating func readEnd(from reader: inout MemberReader) {
        guard let value = reader.value("until") else { return }
        if let seconds = value.int64 {
            until = seconds
        } else if let text = value.string, let time = InternetTime.unixTime(text) {
            until = time
        } else {
            reader.fault("until", "must be a time such as \"2026-12-31T18:00:00Z\", or unix seconds")
        }
    }
}

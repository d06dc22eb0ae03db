// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc

/// A file with a name, for as long as this is held.
final class TemporaryFile: Sendable {
    let path: String

    init(_ text: String, mode: mode_t = 0o600) throws {
        var template = Array("/tmp/tokenctl-test-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw SystemFailure(errno) }
        defer { close(descriptor) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard write(descriptor, text, text.utf8.count) == text.utf8.count, fchmod(descriptor, mode) == 0 else {
            throw SystemFailure(errno)
        }
    }

    /// A program, in the shell's language.
    static func script(_ text: String) throws -> TemporaryFile {
        try TemporaryFile("#!/bin/sh\n" + text, mode: 0o700)
    }

    /// What it holds now.
    func text() throws -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure(errno) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    deinit { unlink(path) }
}

/// A folder with a name, for as long as this is held.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/tokenctl-home-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemFailure(errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

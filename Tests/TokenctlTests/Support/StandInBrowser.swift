// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Synchronization

/// A stand-in for a browser: a program that tells which page it was asked to open.
struct StandInBrowser: Sendable {
    let path: String
    private let folder: String
    private let pages: String

    init() throws {
        var template = Array("/tmp/tokenctl-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemFailure(errno) }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = folder + "/browser"
        pages = folder + "/pages"
        guard mkfifo(pages, 0o600) == 0 else { throw SystemFailure(errno) }
        let script = "#!/bin/sh\nprintf %s \"$1\" > \(pages)\n"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o700)
        defer { close(descriptor) }
        guard write(descriptor, script, script.utf8.count) == script.utf8.count else { throw SystemFailure(errno) }
    }

    /// Waits until it is started; the page it was given.
    func page() -> String {
        let descriptor = open(pages, O_RDONLY)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    func remove() {
        unlink(path)
        unlink(pages)
        rmdir(folder)
    }
}

/// A value that another thread sets.
final class Slot: Sendable {
    private let held = Mutex<String?>(nil)

    var value: String? { held.withLock { $0 } }

    func set(_ value: String) {
        held.withLock { $0 = value }
    }
}

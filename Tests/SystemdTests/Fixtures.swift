// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import Systemd

/// A pipe of the test's own.
final class Pipe {
    let readEnd: Int32
    let writeEnd: Int32
    private var isWriteEndOpen = true

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemdError(code: errno, operation: "make a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        closeWriteEnd()
    }

    func writeByte() {
        var byte: UInt8 = 1
        write(writeEnd, &byte, 1)
    }

    func readByte() {
        var byte: UInt8 = 0
        read(readEnd, &byte, 1)
    }

    func closeWriteEnd() {
        guard isWriteEndOpen else { return }
        isWriteEndOpen = false
        close(writeEnd)
    }

    /// All that was written, when the write end is closed everywhere.
    func readAll() -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(readEnd, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += buffer[..<count]
        }
    }
}

/// A folder of the test's own, removed with all that lies in it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/tokend-test.XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw SystemdError(code: errno, operation: "make a folder") }
        path = String(cString: made)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func write(_ name: String, _ text: String) {
        let file = open(path + "/" + name, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        _ = Glibc.write(file, text, text.utf8.count)
        close(file)
    }
}

extension Pipe {
    /// One line, or what there is of it at the end.
    func readLine() -> String {
        var text: [UInt8] = []
        var byte: UInt8 = 0
        while read(readEnd, &byte, 1) == 1, byte != 0x0A { text.append(byte) }
        return String(decoding: text, as: UTF8.self)
    }
}

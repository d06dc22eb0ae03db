// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A text file of the user's.
struct PlainFile {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// What it holds; nil where it is not there or cannot be read.
    var text: String? { try? content() }

    /// What it holds, up to 1 MiB.
    func content() throws(InputFault) -> String {
        String(decoding: try InputFault.readAll(ofFile: path, limit: 1 << 20, flags: O_NONBLOCK), as: UTF8.self)
    }

    /// Writes it aside and renames it, with the folders that it needs; one with this text already is left alone. A link
    /// stays one: what it leads to is written. `mode`: its rights; without it they stay, and a new file is for all to
    /// read.
    func write(_ text: String, mode: mode_t? = nil) throws(TokenctlError) {
        guard self.text != text else { return }
        let target = realpath(path, nil)
        defer { free(target) }
        let path = target.map { String(cString: $0) } ?? path
        Self.makeFolders(of: path)
        var known = stat()
        let rights = mode ?? (stat(path, &known) == 0 ? known.st_mode & 0o777 : 0o644)
        let aside = "\(path).\(getpid())"
        let descriptor = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, rights)
        var failure = errno
        if descriptor >= 0 {
            var bytes = Array(text.utf8)[...]
            while !bytes.isEmpty {
                let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                guard count > 0 || errno == EINTR else { break }
                bytes = bytes.dropFirst(max(0, count))
            }
            failure = errno
            let isWhole = bytes.isEmpty && fsync(descriptor) == 0
            close(descriptor)
            if isWhole, rename(aside, path) == 0 { return }
            if isWhole { failure = errno }
            unlink(aside)
        }
        let reason = strerror(failure).map { String(cString: $0) } ?? "error \(failure)"
        throw TokenctlError(.output, exitCode: ExitCode.inputOutput, "cannot write \(path): \(reason)")
    }

    private static func makeFolders(of path: String) {
        var folder = ""
        for part in path.split(separator: "/").dropLast() {
            folder += "/" + part
            mkdir(folder, 0o755)
        }
    }
}

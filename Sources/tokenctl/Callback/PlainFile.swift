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

    /// Replaces what it holds, with the folders that it needs; one with this text already is left alone. A link stays one:
    /// what it leads to is written. Its rights stay, and a new file is for all to read.
    func write(_ text: String) throws(TokenctlError) {
        guard self.text != text else { return }
        let target = realpath(path, nil)
        defer { free(target) }
        let path = target.map { String(cString: $0) } ?? path
        var known = stat()
        let rights = stat(path, &known) == 0 ? known.st_mode & 0o777 : nil
        Self.makeFolders(of: path, 0o755)
        try Self.put(text, at: path, rights)
    }

    /// Puts a secret there, for its owner alone, in a new file: whatever has the name goes, a link among that, and is not
    /// written to. So it may lie in a folder that others write to.
    func replace(withSecret text: String) throws(TokenctlError) {
        Self.makeFolders(of: path, 0o700)
        try Self.put(text, at: path, 0o600)
    }

    /// Writes it aside and renames it. `rights`: the file's; nil: what a new one has.
    private static func put(_ text: String, at path: String, _ rights: mode_t?) throws(TokenctlError) {
        // Nobody can have made a file of that name before, nor know it in time.
        let aside = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let descriptor = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, rights ?? 0o644)
        var failure = errno
        if descriptor >= 0 {
            var isWhole = rights.map { fchmod(descriptor, $0) == 0 } ?? true
            isWhole = isWhole && DescriptorOutput.writeAll(Array(text.utf8), to: descriptor) && fsync(descriptor) == 0
            failure = errno
            close(descriptor)
            if isWhole, rename(aside, path) == 0 { return }
            if isWhole { failure = errno }
            unlink(aside)
        }
        let reason = strerror(failure).map { String(cString: $0) } ?? "error \(failure)"
        throw TokenctlError(
            .output,
            exitCode: ExitCode.inputOutput,
            "cannot write \(TerminalText.sanitized(path)): \(reason)"
        )
    }

    private static func makeFolders(of path: String, _ rights: mode_t) {
        var folder = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/").dropLast() {
            folder += part + "/"
            mkdir(folder, rights)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A text file of the user's.
struct PlainFile {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Its content; nil if it is missing or unreadable.
    var text: String? { try? content() }

    /// Its content, up to 1 MiB.
    func content() throws(InputFault) -> String {
        String(decoding: try InputFault.readAll(ofFile: path, limit: 1 << 20, flags: O_NONBLOCK), as: UTF8.self)
    }

    /// Replaces the content, and creates missing folders; a file with this text is left alone. A link is kept and its
    /// target written. The mode is kept; a new file is readable for all.
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

    /// Writes a secret to a new file for its owner alone: whatever has the name, even a link, is replaced and not
    /// written to. So its folder may be writable by others.
    func replace(withSecret text: String) throws(TokenctlError) {
        Self.makeFolders(of: path, 0o700)
        try Self.put(text, at: path, 0o600)
    }

    /// Writes a temporary file and renames it. `rights`: its mode; nil: that of new files.
    private static func put(_ text: String, at path: String, _ rights: mode_t?) throws(TokenctlError) {
        // An unguessable name cannot have been created before.
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

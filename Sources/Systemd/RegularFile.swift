// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

/// Reads a user's or the administrator's file as a whole: a pipe or a device in its place never blocks the loop, and a
/// huge file is refused.
package enum RegularFile {
    /// More bytes than any configuration or CA file needs.
    package static let limit = 4 * 1024 * 1024

    /// The content of the regular file at `path`.
    package static func bytes(of path: String) throws(FileFault) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .system(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileFault(code: .notRegular, message: "\(path) is not a regular file", reason: "no regular file")
        }
        guard status.st_size <= limit else { throw .tooLarge(path) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(path) }
            guard bytes.count + count <= limit else { throw .tooLarge(path) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }

    /// The names in a folder except `.` and `..`, unordered.
    package static func names(in folder: String) throws(FileFault) -> [String] {
        guard let stream = opendir(folder) else { throw .system(folder) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let bytes = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            let name = String(decoding: bytes, as: UTF8.self)
            if name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw .system(folder) }
        return names
    }
}

/// Why a file or a folder could not be read.
package struct FileFault: Error, Sendable, Hashable {
    /// The kind of fault, as far as callers distinguish it.
    package enum Code: Sendable, Hashable {
        /// It does not exist.
        case missing
        /// A pipe, a device, a folder.
        case notRegular
        /// More than `RegularFile.limit`.
        case tooLarge
        /// Its owner, its mode or its path must be fixed.
        case forbidden
        /// The file itself may be fine: descriptors or memory are short, or the disk failed. It may succeed later.
        case passing
    }

    package let code: Code
    /// A sentence that names the file.
    package let message: String
    /// The same in a few words, without the file.
    package let reason: String

    package init(code: Code, message: String, reason: String? = nil) {
        self.code = code
        self.message = message
        self.reason = reason ?? message
    }

    fileprivate static func tooLarge(_ path: String) -> FileFault {
        let size = "larger than \(RegularFile.limit >> 20) MiB"
        return FileFault(code: .tooLarge, message: "\(path) is \(size)", reason: size)
    }

    /// The last system call's error.
    fileprivate static func system(_ path: String) -> FileFault {
        let number = errno
        let code: Code =
            switch number {
            case ENOENT, ENOTDIR: .missing
            case EACCES, EPERM, ELOOP, ENAMETOOLONG: .forbidden
            case EISDIR, ENXIO, ENODEV: .notRegular
            default: .passing
            }
        let reason = String(cString: strerror(number))
        return FileFault(code: code, message: "cannot read \(path): \(reason)", reason: reason)
    }
}

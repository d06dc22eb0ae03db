// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A file that only its user can read, replaced as a whole or not at all.
package struct PrivateFile: Sendable {
    /// A failed system call, or a file in an unacceptable state.
    package struct Fault: Error, Equatable {
        /// One sentence for a user, with the path.
        package let message: String
    }

    /// An absolute path in an existing folder.
    package let path: String
    /// Makes a descriptor's content durable; fsync(2) except in tests.
    private let synchronize: @Sendable (Int32) -> Int32

    package init(_ path: String, synchronize: @escaping @Sendable (Int32) -> Int32 = { fsync($0) }) {
        self.path = path
        self.synchronize = synchronize
    }

    // MARK: Reading

    /// The whole content; nil if there is no such file.
    ///
    /// - Parameter mustBeClosed: whether a file that its group or others may read or write is refused; otherwise its
    ///   mode is corrected.
    /// - Throws: also for a file that is not regular, not the user's, or longer than `limit`.
    package func read(limit: Int, mustBeClosed: Bool = false) throws(Fault) -> [UInt8]? {
        // Not blocking: a pipe in place of the file must not block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw errno == ELOOP ? fault("is a symbolic link; name the file itself") : failure("cannot read")
        }
        defer { close(descriptor) }
        try check(descriptor, limit: limit, mustBeClosed: mustBeClosed)
        return try bytes(of: descriptor, limit: limit)
    }

    /// The whole content of a file that the service manager placed in a protected folder: a service with its own
    /// `User=` reads root's file through an access control list. nil if there is no such file.
    package func readGiven(limit: Int) throws(Fault) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("cannot read")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw fault("is not a file") }
        return try bytes(of: descriptor, limit: limit)
    }

    private func check(_ descriptor: Int32, limit: Int, mustBeClosed: Bool) throws(Fault) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("cannot read") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw fault("is not a file") }
        guard status.st_uid == geteuid() else { throw fault("belongs to another user") }
        guard status.st_size <= limit else { throw fault("is larger than \(limit) bytes") }
        guard status.st_mode & 0o077 != 0 else { return }
        guard !mustBeClosed else { throw fault("can be used by other users; close it with: chmod 600 \(path)") }
        guard fchmod(descriptor, 0o600) == 0 else { throw failure("cannot close to other users") }
    }

    private func bytes(of descriptor: Int32, limit: Int) throws(Fault) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        defer { chunk.wipe() }
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count > 0 {
                bytes += chunk.prefix(count)
                guard bytes.count <= limit else { throw fault("is larger than \(limit) bytes") }
            } else if errno != EINTR {
                throw failure("cannot read")
            }
        }
    }

    // MARK: Writing

    /// Replaces the content: written to a temporary file with mode 0600, made durable, and renamed.
    ///
    /// The file is never opened for writing: if anything fails, the old content remains. Only if the folder itself
    /// could not be made durable after renaming does an error leave the new content in place.
    package func replace(with content: [UInt8]) throws(Fault) {
        let aside = path + ".new"
        unlink(aside)
        let descriptor = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("cannot write") }
        do throws(Fault) {
            defer { close(descriptor) }
            guard Self.write(content, to: descriptor), synchronize(descriptor) == 0 else {
                throw failure("cannot write")
            }
        } catch {
            unlink(aside)
            throw error
        }
        guard rename(aside, path) == 0 else {
            let fault = failure("cannot write")
            unlink(aside)
            throw fault
        }
        try synchronizeFolder()
    }

    /// Renames whatever is at the path to a name beside it.
    ///
    /// - Returns: its new path; nil if there was nothing.
    package func putAside() throws(Fault) -> String? {
        var status = stat()
        var number = 1
        while lstat("\(path).unread-\(number)", &status) == 0 { number += 1 }
        let aside = "\(path).unread-\(number)"
        guard rename(path, aside) == 0 else {
            if errno == ENOENT { return nil }
            throw failure("cannot put aside")
        }
        return aside
    }

    private static func write(_ content: [UInt8], to descriptor: Int32) -> Bool {
        content.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }

    /// Until the folder is durable, so is the old file under its name.
    private func synchronizeFolder() throws(Fault) {
        let folder = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure("cannot make durable") }
        defer { close(folder) }
        guard synchronize(folder) == 0 else { throw failure("cannot make durable") }
    }

    // MARK: Folders

    /// The parent folder of a path.
    package static func folder(of path: String) -> String {
        let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        return folder.isEmpty ? "/" : String(folder)
    }

    /// Creates a folder and its missing parents, each with mode 0700; existing ones are not changed.
    package static func makeFolder(_ folder: String) throws(Fault) {
        if mkdir(folder, 0o700) == 0 || errno == EEXIST { return }
        if errno == ENOENT, folder.count > 1 {
            try makeFolder(Self.folder(of: folder))
            if mkdir(folder, 0o700) == 0 || errno == EEXIST { return }
        }
        throw Fault(message: "cannot make the folder \(folder): \(StartFailure.reason)")
    }

    private func failure(_ what: String) -> Fault {
        Fault(message: "\(what) \(path): \(StartFailure.reason)")
    }

    private func fault(_ what: String) -> Fault {
        Fault(message: "\(path) \(what)")
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A file of the person's or the administrator's, read whole: a pipe or a device in its place never blocks the loop,
/// and a huge one is not read.
package enum RegularFile {
    /// More than any configuration or CA file needs.
    package static let limit = 4 * 1024 * 1024

    /// The content; nil where there is no readable regular file within the limit.
    package static func bytes(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else {
            return nil
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0, bytes.count <= limit else { return nil }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }
}

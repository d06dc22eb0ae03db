// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// Writes text to a descriptor, without buffering.
struct FileHandleOutput {
    static let standardError = FileHandleOutput(descriptor: STDERR_FILENO)

    let descriptor: Int32

    /// Writes all of it; if the reader is gone, the rest is lost.
    func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}

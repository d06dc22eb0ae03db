// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Systemd

/// A file of certificate authorities in PEM form, as it was when read. The content is compared and used, so a changed
/// file is another value (a grant is sent only where it was made for).
package struct CertificateFile: Sendable, Hashable {
    /// Its path; for messages.
    package let path: String

    /// The file's bytes.
    package let contents: [UInt8]

    /// From content that was read elsewhere.
    /// - Throws: if there is no certificate in it.
    package init(path: String, contents: [UInt8]) throws(CertificateFileError) {
        let marker = Array("-----BEGIN CERTIFICATE-----".utf8)
        guard contents.count >= marker.count,
            (0...contents.count - marker.count).contains(where: { contents[$0...].starts(with: marker) })
        else {
            throw CertificateFileError(code: .noCertificate, message: "there is no certificate (PEM) in \(path)")
        }
        self.path = path
        self.contents = contents
    }

    /// Reads a regular file of at most 4 MiB. It blocks, so use it where the configuration is read.
    package init(path: String) throws(CertificateFileError) {
        let contents: [UInt8]
        do {
            contents = try RegularFile.bytes(of: path)
        } catch {
            throw CertificateFileError(code: .unreadable(error.code), message: error.message)
        }
        try self.init(path: path, contents: contents)
    }
}

/// Why a file of certificate authorities cannot be used.
package struct CertificateFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error.
    package enum Code: Sendable, Hashable {
        case unreadable(FileFault.Code), noCertificate
    }

    package let code: Code

    /// A sentence that names the file.
    package let message: String

    package var description: String { message }
}

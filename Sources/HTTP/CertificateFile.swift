// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Systemd

/// A file of certificate authorities in PEM form, as it was when it was read. What is compared and used is
/// the content, so a file that changes is another value (a grant goes only where it was made for).
package struct CertificateFile: Sendable, Hashable {
    /// Where it lies; for messages.
    package let path: String

    /// The file's bytes.
    package let contents: [UInt8]

    /// Takes bytes that were read elsewhere.
    /// - Throws: where there is no certificate in them.
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

    /// Reads a regular file of at most 4 MiB. It blocks, so it belongs where the configuration is read.
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
    /// The kind of fault.
    package enum Code: Sendable, Hashable {
        case unreadable(FileFault.Code), noCertificate
    }

    package let code: Code

    /// A sentence that names the file.
    package let message: String

    package var description: String { message }
}

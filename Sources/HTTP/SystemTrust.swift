// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CCurl
import Glibc

/// The system's trusted certificate authorities, as this libcurl was built to find them.
///
/// From a folder with hashed names OpenSSL reads only the certificate that it needs; the bundle it reads as a whole,
/// which blocks the loop for 15 ms per connection. So a folder is preferred.
struct SystemTrust: Sendable {
    /// The machine's, read once.
    static let current = SystemTrust()

    /// The folder, if it has certificates under hashed names.
    let directory: String?

    /// The bundle; used without a folder.
    let file: String?

    private init() {
        let folder = tokend_curl_certificate_folder().map { String(cString: $0) }
        directory = folder.flatMap { Self.hasHashedNames($0) ? $0 : nil }
        file = tokend_curl_certificate_bundle().map { String(cString: $0) }
    }

    /// The bundle for curl if further authorities are trusted beside the system's.
    func adding(_ certificates: CertificateFile) -> [UInt8] {
        guard directory == nil, let file, let system = try? CertificateFile(path: file) else {
            return certificates.contents
        }
        return system.contents + [UInt8(ascii: "\n")] + certificates.contents
    }

    /// Whether a name like `002c0b4f.0` is in the folder.
    private static func hasHashedNames(_ path: String) -> Bool {
        guard let folder = opendir(path) else { return false }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            guard name.count == 10, name.hasHexadecimalDigits(8), name[8] == UInt8(ascii: ".") else { continue }
            return true
        }
        return false
    }
}

extension [UInt8] {
    fileprivate func hasHexadecimalDigits(_ count: Int) -> Bool {
        prefix(count).allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Broker
package import Systemd

/// Reads the configuration repeatedly, and keeps the last content of a file that cannot be read now: if descriptors are
/// short or a disk fails, no account is lost.
package final class ConfigurationReader {
    /// How files are read; replaced in tests.
    package struct Access {
        package typealias Fault = FileFault

        package var bytes: (String) throws(Fault) -> [UInt8]
        package var names: (String) throws(Fault) -> [String]

        package init(
            bytes: @escaping (String) throws(Fault) -> [UInt8] = RegularFile.bytes(of:),
            names: @escaping (String) throws(Fault) -> [String] = RegularFile.names(in:)
        ) {
            self.bytes = bytes
            self.names = names
        }
    }

    private let folders: ConfigurationFolders
    private let access: Access
    private var last: Configuration.Files?
    /// Digests of the files that accounts name, when they were last readable.
    private var digests: [String: String] = [:]
    private var staleDigests: Set<String> = []

    package init(_ folders: ConfigurationFolders, access: Access = Access()) {
        self.folders = folders
        self.access = access
    }

    /// Whether something could not be read that may be readable soon.
    package var isIncomplete: Bool { last?.isIncomplete == true || !staleDigests.isEmpty }

    /// Reads every file as it is now.
    package func read() -> Configuration.Files {
        let files = folders.read(keeping: last, access: access)
        last = files
        return files
    }

    /// Whether reading again would give anything other than `files`.
    package func hasChanged(since files: Configuration.Files) -> Bool {
        let isReadable = staleDigests.contains { (try? access.bytes($0)) != nil }
        return read() != files || isReadable
    }

    /// The SHA-256, in hexadecimal, of a file that an account names; nil if it cannot be read.
    package func digest(ofFile path: String) -> String? {
        staleDigests.remove(path)
        do throws(FileFault) {
            let digest = ConfigurationFolders.digest(of: try access.bytes(path))
            digests[path] = digest
            return digest
        } catch {
            guard error.code == .passing else { return nil }
            staleDigests.insert(path)
            return digests[path]
        }
    }
}

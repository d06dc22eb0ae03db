// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension DaemonConfiguration {
    /// Where the file store is, and what opens it: `store_file`.
    package struct StoreFile: Sendable, Equatable {
        /// What opens the file.
        package enum Key: Sendable, Equatable {
            /// The user's, given by `store.unlock`.
            case passphrase
            /// The content of a file that only the daemon's user can read: the store opens by itself.
            case file(path: String)
            /// A credential from the service manager, by name: the store opens by itself.
            case credential(name: String)
        }

        /// An absolute path; nil for the one in the user's data folder.
        package var path: String?
        package var key = Key.passphrase

        package init() {}

        mutating func read(from reader: inout MemberReader) {
            if let text = reader.string("path") {
                path = text
                if !Self.isFile(text) { reader.fault("path", "must be a file's absolute path") }
            }
            if let text = reader.string("key") {
                if text == "passphrase" {
                    key = .passphrase
                } else if text.hasPrefix("file:"), Self.isFile(text.dropFirst(5)) {
                    key = .file(path: String(text.dropFirst(5)))
                } else if text.hasPrefix("credential:"), Self.isCredential(text.dropFirst(11)) {
                    key = .credential(name: String(text.dropFirst(11)))
                } else {
                    // The value may be a passphrase that was put here by mistake, so it is not quoted.
                    let words = "\"passphrase\" (it comes by tokenctl unlock), \"file:/PATH\" or \"credential:NAME\""
                    reader.fault("key", "must be \(words)")
                }
            }
            reader.finish()
        }

        /// A valid name of a systemd credential: a file name, in ASCII (systemd.exec(5)).
        private static func isCredential(_ name: Substring) -> Bool {
            (1...255).contains(name.utf8.count) && name != "." && name != ".."
                && name.utf8.allSatisfy {
                    (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":")
                }
        }

        private static func isFile(_ path: some StringProtocol) -> Bool {
            path.hasPrefix("/") && !path.hasSuffix("/") && !path.utf8.contains(0)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension DaemonConfiguration {
    /// Where the file store lies, and what opens it: `store_file`.
    package struct StoreFile: Sendable, Equatable {
        /// What opens the file.
        package enum Key: Sendable, Equatable {
            /// A user's, who gives it by `store.unlock`.
            case passphrase
            /// The content of a file that is the daemon's user's alone: the store opens by itself.
            case file(path: String)
            /// A credential that the service manager hands over, by its name: the store opens by itself.
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
                    // What stands there may be a passphrase that somebody took this for the place of.
                    let words = "\"passphrase\" (it comes by tokenctl unlock), \"file:/PATH\" or \"credential:NAME\""
                    reader.fault("key", "must be \(words)")
                }
            }
            reader.finish()
        }

        /// A name that systemd takes for a credential's: a file's, in ASCII (systemd.exec(5)).
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

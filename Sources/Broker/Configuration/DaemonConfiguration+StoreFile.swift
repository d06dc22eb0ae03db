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
                } else {
                    // What stands there may be a passphrase that somebody took this for the place of.
                    reader.fault("key", "must be \"passphrase\" (it comes by tokenctl unlock) or \"file:/PATH\"")
                }
            }
            reader.finish()
        }

        private static func isFile(_ path: some StringProtocol) -> Bool {
            path.hasPrefix("/") && !path.hasSuffix("/") && !path.utf8.contains(0)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

/// A `Stand` without any keyring, whose grants lie in a file.
enum FileStoreStand {
    static let passphrase = "correct horse battery"

    /// Where the file is, without a path in the configuration.
    static func path(_ stand: Stand) -> String { stand.session.folder + "/data/tokend/store.json" }

    /// - Parameters:
    ///   - existing: what lies there already.
    ///   - variables: added to the daemon's environment.
    static func with(
        keyFile: Bool = false,
        keyMode: mode_t = 0o600,
        existing: String? = nil,
        arguments: [String] = [],
        adding variables: [String: String] = [:],
        _ body: (Stand) async throws -> Void
    ) async throws {
        try await Stand.with(
            keyring: .none,
            arguments: arguments,
            adding: variables,
            prepare: { world, provider in
                let keyPath = world.session.folder + "/key"
                let key = keyFile ? "file:\(keyPath)" : "passphrase"
                if keyFile { try write("0123456789abcdef0123456789abcdef\n", to: keyPath, mode: keyMode) }
                if let existing {
                    let folder = world.session.folder + "/data/tokend"
                    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                    try write(existing, to: folder + "/store.json", mode: 0o600)
                }
                try world.writeConfiguration("{ store: \"file\", store_file: { key: \"\(key)\" } }")
                try world.writeAccount("work", issuer: provider.issuer)
            },
            body
        )
    }

    static func unlock(_ client: SocketClient) async throws {
        let result = try await client.result("store.unlock", ["passphrase": .string(passphrase)])
        #expect(result == ["state": "ready"])
    }

    /// What `status` says of the store.
    static func storeStatus(_ client: SocketClient) async throws -> JSONObject {
        try #require(try await client.result("status")["daemon"]?.object?["store"]?.object)
    }

    static func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return status.st_mode & 0o777
    }

    private static func write(_ text: String, to path: String, mode: mode_t) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        try #require(chmod(path, mode) == 0)
    }
}

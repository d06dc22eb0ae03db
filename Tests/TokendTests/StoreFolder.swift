// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import FoundationEssentials
import Glibc
import JOSE
import Secrets
import Testing
import tokend

/// A folder with a file store in it, removed at the end.
final class StoreFolder: Sendable {
    /// Cheap, where nobody guesses.
    static let cheap = Scrypt.Cost(iterations: 16, blockSize: 1, parallelism: 1)
    static let passphrase = Secret("correct horse")

    let folder: String
    var path: String { folder + "/store.json" }
    var keyPath: String { folder + "/key" }

    init() throws {
        var template = Array("/tmp/tokend-test.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A vault as a daemon's start makes it.
    func vault(cost: Scrypt.Cost = cheap, synchronize: @escaping @Sendable (Int32) -> Int32 = { fsync($0) })
        -> StoreVault
    {
        StoreVault(PrivateFile(path, synchronize: synchronize), cost: cost)
    }

    /// A vault that opens by itself, with what lies elsewhere.
    func vault(_ source: StoreKeySource) -> StoreVault {
        StoreVault(PrivateFile(path), key: source, cost: Self.cheap)
    }

    /// A vault that opens by itself.
    func keyFileVault() -> StoreVault {
        StoreVault(PrivateFile(path), key: .file(PrivateFile(keyPath)), cost: Self.cheap)
    }

    /// A vault that is open, with the items in it.
    func openVault(_ items: StoredItem...) throws -> StoreVault {
        let vault = vault()
        try vault.unlock(Self.passphrase, .random)
        for item in items { try vault.change(.random) { $0.put(item) } }
        return vault
    }

    /// What lies there now; nil for nothing.
    func bytes(_ path: String? = nil) -> [UInt8]? {
        (try? Data(contentsOf: URL(filePath: path ?? self.path))).map { Array($0) }
    }

    func write(_ content: [UInt8], to path: String? = nil, mode: mode_t = 0o600) throws {
        try Data(content).write(to: URL(filePath: path ?? self.path))
        try #require(chmod(path ?? self.path, mode) == 0)
    }

    func write(_ text: String, to path: String? = nil, mode: mode_t = 0o600) throws {
        try write(Array(text.utf8), to: path, mode: mode)
    }

    /// The file's mode and inode.
    func status(_ path: String? = nil) throws -> (mode: mode_t, inode: UInt) {
        var status = stat()
        try #require(lstat(path ?? self.path, &status) == 0)
        return (status.st_mode & 0o777, status.st_ino)
    }

    /// The files' names.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? [] }

    static func item(_ account: String = "work", secret: String = "{\"refresh_token\":\"rt-1\"}") -> StoredItem {
        StoredItem(
            account: account,
            issuer: "https://id.example",
            clientID: "desktop",
            label: "tokend: \(account) at id.example",
            secret: Secret(secret)
        )
    }

    /// The error that `body` ends in.
    static func error<Value>(_ body: () throws(StoreError) -> Value) -> StoreError? {
        do throws(StoreError) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }
}

extension StoreVault.FreshBytes {
    static var random: Self {
        Self { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
    }
}

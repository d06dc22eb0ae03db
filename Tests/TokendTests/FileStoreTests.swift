// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc
import JOSE
import Secrets
import Systemd
import Testing
import tokend

/// The store as the broker has it: on the loop, with its own thread and lock.
@Suite struct FileStoreTests {
    private final class TestEntropy: Entropy {
        func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: .min ... .max) }
        }
    }

    private let folder: StoreFolder

    init() throws {
        LoopThread.start
        folder = try StoreFolder()
    }

    @LoopActor private func store(path: String? = nil, cost: Scrypt.Cost = StoreFolder.cheap) throws -> FileStore {
        try FileStore(path: path ?? folder.path, key: .passphrase, entropy: TestEntropy(), cost: cost)
    }

    @Test @LoopActor func `it stores, finds and removes`() async throws {
        let store = try store()
        #expect(store.kind == "file")
        await #expect(throws: StoreError.self) { try await store.items() }
        try await store.unlock(passphrase: StoreFolder.passphrase, timeout: .seconds(1))
        try await store.write(StoreFolder.item())
        #expect(try await store.item(account: "work") == StoreFolder.item())
        #expect(try await store.items() == [StoreFolder.item()])
        try await store.remove(account: "work")
        #expect(try await store.item(account: "work") == nil)
    }

    @Test @LoopActor func `a client's item lies beside the grant, and neither takes the other's place`() async throws {
        let store = try store()
        try await store.unlock(passphrase: StoreFolder.passphrase, timeout: .seconds(1))
        var client = StoreFolder.item()
        client.kind = .client
        client.secret = Secret("the client's")
        try await store.write(StoreFolder.item())
        try await store.write(client)
        #expect(try await store.items().count == 2)
        try await store.remove(.grant, account: "work")
        #expect(try await store.item(.client, account: "work") == client)
        #expect(try await store.item(.grant, account: "work") == nil)
    }

    @Test func `a file of before there were two kinds holds grants`() throws {
        let item = StoreFolder.item()
        let old = StoreContents(items: [item]).encoded().reveal()
            .replacing(#""kind":"grant","#, with: "")
        #expect(!old.contains("kind"))
        #expect(StoreContents(Secret(old))?.items == [item])
    }

    @Test @LoopActor func `writes that come together are all there`() async throws {
        let store = try store()
        try await store.unlock(passphrase: StoreFolder.passphrase, timeout: .seconds(1))
        let writes = (0..<20).map { number in
            Task { @LoopActor in try await store.write(StoreFolder.item("a\(number)")) }
        }
        for write in writes { try await write.value }
        #expect(try await Set(store.items().map(\.account)).count == 20)
    }

    @Test @LoopActor func `a second one at the same file is refused, by whatever name it comes`() throws {
        let first = try store()
        let alias = folder.folder + "-alias"
        try #require(symlink(folder.folder, alias) == 0)
        defer { unlink(alias) }
        for path in [folder.path, alias + "/store.json"] {
            do {
                _ = try store(path: path)
                Issue.record("two stores at one file")
            } catch let failure as StartFailure {
                #expect(failure.code == 73)
            }
        }
        withExtendedLifetime(first) {}
    }

    @Test @LoopActor func `its folder is made, and is its owner's alone`() throws {
        umask(0)
        _ = try store(path: folder.folder + "/a/b/store.json")
        #expect(try folder.status(folder.folder + "/a").mode == 0o700)
        #expect(try folder.status(folder.folder + "/a/b").mode == 0o700)
        #expect(try folder.status(folder.folder + "/a/b/store.json.lock").mode == 0o600)
    }

    @Test @LoopActor func `the loop goes on while a key is made, and few are made at once`() async throws {
        let store = try store(cost: .interactive)
        var refusals: [Bool] = []
        let attempts = (0..<6).map { _ in
            Task { @LoopActor in
                do {
                    try await store.unlock(passphrase: StoreFolder.passphrase, timeout: .seconds(60))
                    refusals.append(false)
                } catch let error as StoreError {
                    #expect(error.code == .locked)
                    refusals.append(true)
                }
            }
        }
        for attempt in attempts { try await attempt.value }
        // Two were one too many each, and were told so before the first key was made.
        #expect(refusals == [true, true, false, false, false, false])
        #expect(try await store.items().isEmpty)
    }
}

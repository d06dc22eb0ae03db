// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Systemd
import Testing

@testable import tokend

/// The watch over the configuration's folders, where the kernel grants none.
@Suite(.timeLimit(.minutes(1))) struct ConfigurationWatchTests {
    /// Grants watches, or does not.
    @LoopActor private final class Kernel {
        var isFull = true
        private(set) var faults: [String] = []
        private(set) var changes = 0

        func watch(_ folders: [String]) -> ConfigurationWatch {
            ConfigurationWatch(loop: .main, folders: folders) { [unowned self] folder, handler throws(SystemdError) in
                guard isFull else { return try EventLoop.main.addInotify(folder) { _ in handler() } }
                throw SystemdError(code: ENOSPC, operation: "watch \(folder)")
            } onFault: { [unowned self] in
                faults.append($0)
            } onChange: { [unowned self] in
                changes += 1
            }
        }
    }

    init() {
        LoopThread.start
    }

    @Test @LoopActor func `a folder that cannot be watched is told once, with what helps`() async throws {
        let disk = try StoreFolder()
        let kernel = Kernel()
        let watch = kernel.watch([disk.folder, disk.folder + "/accounts"])
        #expect(kernel.faults.count == 1)
        #expect(kernel.faults.first?.contains("cannot watch \(disk.folder)") == true)
        #expect(kernel.faults.first?.contains("tokenctl reload") == true)
        withExtendedLifetime(watch) {}
    }

    @Test @LoopActor func `one that can be watched is no fault`() async throws {
        let disk = try StoreFolder()
        let kernel = Kernel()
        kernel.isFull = false
        let watch = kernel.watch([disk.folder, disk.folder + "/accounts"])
        try disk.write("{}", to: disk.folder + "/config.json5")
        while kernel.changes == 0 { await Task.yield() }
        #expect(kernel.faults.isEmpty)
        withExtendedLifetime(watch) {}
    }

    @Test(arguments: ["a file", "a folder", "a chain"]) @LoopActor
    func `an edit behind a link is noticed like any other`(_ kind: String) async throws {
        let (disk, dotfiles) = (try StoreFolder(), try StoreFolder())
        let accounts = disk.folder + "/accounts"
        let file = dotfiles.folder + "/work.json5"
        try disk.write("{}", to: file)
        switch kind {
        case "a folder": try #require(symlink(dotfiles.folder, accounts) == 0)
        case "a chain":
            try #require(mkdir(accounts, 0o700) == 0 && symlink(file, disk.folder + "/hop") == 0)
            try #require(symlink("../hop", accounts + "/work.json5") == 0)
        default: try #require(mkdir(accounts, 0o700) == 0 && symlink(file, accounts + "/work.json5") == 0)
        }
        let kernel = Kernel()
        kernel.isFull = false
        let watch = kernel.watch([accounts])
        try disk.write("{ }", to: file)
        while kernel.changes == 0 { await Task.yield() }
        #expect(kernel.faults.isEmpty)
        withExtendedLifetime(watch) {}
    }

    @Test @LoopActor func `a folder's link that leads elsewhere now is noticed`() async throws {
        let (disk, one, other) = (try StoreFolder(), try StoreFolder(), try StoreFolder())
        let accounts = disk.folder + "/accounts"
        try #require(symlink(one.folder, accounts) == 0)
        let kernel = Kernel()
        kernel.isFull = false
        let watch = kernel.watch([accounts])
        try #require(unlink(accounts) == 0 && symlink(other.folder, accounts) == 0)
        while kernel.changes == 0 { await Task.yield() }
        let before = kernel.changes
        try disk.write("{}", to: other.folder + "/new.json5")
        while kernel.changes == before { await Task.yield() }
        withExtendedLifetime(watch) {}
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc
import Systemd
import Testing
import tokend

/// The folders of the configuration, with what may lie in them.
@Suite(.timeLimit(.minutes(1))) struct ConfigurationFoldersTests {
    @Test func `what is not a regular file disables its account alone and blocks nothing`() throws {
        let folder = try StoreFolder()
        let accounts = folder.folder + "/accounts"
        try #require(mkdir(accounts, 0o700) == 0)
        try #require(mkfifo(accounts + "/pipe.json5", 0o600) == 0)
        try #require(mkdir(accounts + "/folder.json5", 0o700) == 0)
        try #require(symlink("/dev/zero", accounts + "/device.json5") == 0)
        try #require(symlink(accounts + "/nowhere", accounts + "/lost.json5") == 0)
        let good = open(accounts + "/good.json5", O_WRONLY | O_CREAT, 0o600)
        try #require(write(good, "{}", 2) == 2)
        close(good)
        let files = ConfigurationFolders(option: folder.folder, environment: [:]).read()
        #expect(Set(files.accountFaults.keys) == ["pipe", "folder", "device", "lost"])
        #expect(files.accounts["good"]?.bytes == Array("{}".utf8))
        #expect(files.daemonFaults.isEmpty)
    }

    @Test func `a file whose ending is nearly right is a fault, and a note or a copy is none`() throws {
        let folder = try StoreFolder()
        let accounts = folder.folder + "/accounts"
        try #require(mkdir(accounts, 0o700) == 0)
        for name in ["foo.json", "foo.JSON5", "foo.json5~", "README", ".foo.json"] {
            close(open(accounts + "/" + name, O_WRONLY | O_CREAT, 0o600))
        }
        let files = ConfigurationFolders(option: folder.folder, environment: [:]).read()
        let faults = ["foo.JSON5", "foo.json"].map { "\(accounts)/\($0): its name must end in .json5" }
        #expect(files.folderFaults.map(\.description) == faults)
        #expect(files.accounts.isEmpty && files.accountFaults.isEmpty && files.daemonFaults.isEmpty)
    }

    @Test func `presets are read as accounts are, and their folders are watched`() throws {
        let folder = try StoreFolder()
        let presets = folder.folder + "/providers"
        try #require(mkdir(presets, 0o700) == 0 && mkfifo(presets + "/pipe.json5", 0o600) == 0)
        close(open(presets + "/corp.json5", O_WRONLY | O_CREAT, 0o600))
        close(open(presets + "/corp.json", O_WRONLY | O_CREAT, 0o600))
        let folders = ConfigurationFolders(option: folder.folder, environment: [:])
        let files = folders.read()
        #expect(files.presets.keys.sorted() == ["corp"] && files.presetFaults.keys.sorted() == ["pipe"])
        #expect(files.folderFaults.map(\.description) == ["\(presets)/corp.json: its name must end in .json5"])
        #expect(folders.watched.contains(presets) && folders.watched.contains("/etc/tokend/providers"))
    }

    @Test func `a file beyond the limit is not read`() throws {
        let folder = try StoreFolder()
        let path = folder.folder + "/huge"
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
        try #require(ftruncate(descriptor, RegularFile.limit + 1) == 0)
        close(descriptor)
        #expect((try? RegularFile.bytes(of: path)) == nil)
    }

    /// A folder of two accounts, and a reader whose files fail when the test says so.
    private struct Failing {
        final class Fault {
            var code: FileFault.Code?
            var failsFolders = false

            func check(_ path: String) throws(FileFault) {
                if let code, path.hasPrefix("/tmp/") {
                    throw FileFault(code: code, message: "cannot read \(path): Too many open files")
                }
            }
        }

        let folder: StoreFolder
        let fault = Fault()
        let reader: ConfigurationReader

        init() throws {
            folder = try StoreFolder()
            try #require(mkdir(folder.folder + "/accounts", 0o700) == 0)
            for name in ["one", "two"] { try folder.write(Array("{}".utf8), to: Self.path(name, folder)) }
            try folder.write(Array("{ default_account: \"one\" }".utf8), to: folder.folder + "/config.json5")
            reader = ConfigurationReader(
                ConfigurationFolders(option: folder.folder, environment: [:]),
                access: ConfigurationReader.Access { [fault] path throws(FileFault) in
                    try fault.check(path)
                    return try RegularFile.bytes(of: path)
                } names: { [fault] path throws(FileFault) in
                    if path.hasSuffix("/accounts"), fault.failsFolders { try fault.check(path) }
                    return try RegularFile.names(in: path)
                }
            )
        }

        static func path(_ name: String, _ folder: StoreFolder) -> String { "\(folder.folder)/accounts/\(name).json5" }
    }

    @Test(arguments: [false, true])
    func `where descriptors are short, what was read before holds, is said, and is read again`(ofFolders: Bool) throws {
        let world = try Failing()
        let good = world.reader.read()
        #expect(good.accounts.count == 2 && good.daemon.count == 1 && !world.reader.isIncomplete)
        (world.fault.code, world.fault.failsFolders) = (.passing, ofFolders)
        let kept = world.reader.read()
        #expect(kept.accounts == good.accounts && kept.daemon == good.daemon)
        #expect(kept.accountFaults.isEmpty && kept.daemonFaults.isEmpty)
        #expect(kept.folderFaults.count == (ofFolders ? 2 : 3))
        #expect(kept.folderFaults.allSatisfy { $0.description.contains("Too many open files") })
        #expect(world.reader.isIncomplete && !world.reader.hasChanged(since: kept))
        world.fault.code = nil
        #expect(world.reader.hasChanged(since: kept))
        #expect(world.reader.read() == good && !world.reader.isIncomplete)
    }

    @Test func `a file that its owner closed is a fault of its account, and nothing to try again`() throws {
        let world = try Failing()
        _ = world.reader.read()
        world.fault.code = .forbidden
        let files = world.reader.read()
        #expect(Set(files.accountFaults.keys) == ["one", "two"] && files.accounts.isEmpty)
        #expect(files.daemonFaults.count == 1 && !world.reader.isIncomplete)
    }

    @Test func `a folder that cannot be listed any more keeps its accounts`() throws {
        let world = try Failing()
        let good = world.reader.read()
        (world.fault.code, world.fault.failsFolders) = (.forbidden, true)
        #expect(world.reader.read().accounts == good.accounts)
    }

    @Test func `a CA file that cannot be read just now is the one that it was`() throws {
        let world = try Failing()
        let path = Failing.path("one", world.folder)
        let digest = world.reader.digest(ofFile: path)
        let files = world.reader.read()
        world.fault.code = .passing
        #expect(world.reader.digest(ofFile: path) == digest && world.reader.isIncomplete)
        world.fault.code = nil
        #expect(world.reader.hasChanged(since: files))
        world.fault.code = .missing
        #expect(world.reader.digest(ofFile: path) == nil)
    }

    @Test(arguments: [
        (["TOKEND_CONFIG_DIR": "/a", "XDG_CONFIG_HOME": "/b", "HOME": "/c"], "/a"),
        (["XDG_CONFIG_HOME": "/b", "HOME": "/c"], "/b/tokend"),
        (["XDG_CONFIG_HOME": "relative", "HOME": "/c"], "/c/.config/tokend"),
        (["XDG_CONFIG_HOME": "", "HOME": "/c"], "/c/.config/tokend"),
    ])
    func `the person's folder is found by the variables in their order`(
        environment: [String: String],
        folder: String
    ) {
        #expect(ConfigurationFolders(option: nil, environment: environment).personal == folder)
        #expect(ConfigurationFolders(option: "/option", environment: environment).personal == "/option")
    }
}

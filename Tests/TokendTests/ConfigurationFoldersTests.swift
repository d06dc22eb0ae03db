// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc
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
        #expect(RegularFile.bytes(of: path) == nil)
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

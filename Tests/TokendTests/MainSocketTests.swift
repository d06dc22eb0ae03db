// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Systemd
import Testing

@testable import tokend

/// The socket that is made, with what others may do to its place.
@Suite(.timeLimit(.minutes(1))) struct MainSocketTests {
    @Test func `a folder that another program holds locked holds nobody up for long`() throws {
        let folder = try StoreFolder()
        let path = folder.folder + "/tokend.sock"
        let other = open(folder.folder, O_RDONLY | O_DIRECTORY)
        try #require(flock(other, LOCK_EX) == 0)
        let failure = #expect(throws: StartFailure.self) {
            try MainSocket.make(path: path, patience: .milliseconds(30))
        }
        #expect(failure?.code == 73 && failure?.message.contains("cannot lock the folder") == true)
        close(other)
        try MainSocket.make(path: path, patience: .milliseconds(30)).remove()
    }

    @Test func `a socket is removed where it is what was made, and nothing that was put into its place`() throws {
        let folder = try StoreFolder()
        let path = folder.folder + "/tokend.sock"
        let first = try MainSocket.make(path: path, mode: 0o660)
        var status = stat()
        #expect(first.isThere && lstat(path, &status) == 0 && status.st_mode & 0o7777 == 0o660)
        first.remove()
        #expect(access(path, F_OK) != 0)
        // Another program's socket, a file, and a link to what was made.
        for replacement in ["socket", "file", "link"] {
            let made = try MainSocket.make(path: path)
            let aside = path + ".aside"
            try #require(rename(path, aside) == 0)
            #expect(!made.isThere)
            var other: Int32 = -1
            switch replacement {
            case "socket": other = try UnixSocketListener.bind(path)
            case "file": other = open(path, O_CREAT | O_WRONLY, 0o600)
            default: try #require(symlink(aside, path) == 0)
            }
            let before = FileIdentity(ofEntry: path)
            #expect(before != nil && !made.isThere, "\(replacement)")
            made.remove()
            #expect(FileIdentity(ofEntry: path) == before, "\(replacement)")
            if other >= 0 { close(other) }
            for left in [path, aside] { unlink(left) }
        }
    }

    @Test func `a socket whose backlog is full is nobody's to take over`() throws {
        let folder = try StoreFolder()
        let path = folder.folder + "/tokend.sock"
        let listener = try UnixSocketListener.bind(path)
        defer { close(listener) }
        try #require(listen(listener, 0) == 0)
        var clients: [Int32] = []
        defer { for client in clients { close(client) } }
        for _ in 0..<4 {
            let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            clients.append(client)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            _ = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
        #expect(throws: StartFailure.self) { try MainSocket.make(path: path) }
        #expect(UnixSocketListener.answers(path))
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Testing

@testable import Systemd

/// Each in a process of its own, for they are about its environment.
@Suite(.timeLimit(.minutes(1)))
struct ServiceManagerTests {
    @Test func `notices go to the manager's socket in one message`() async {
        await #expect(processExitsWith: .success) {
            let manager = try NotifySocket()
            #expect(try ServiceManager.notify(.ready, .status("2 accounts\nall well")))
            #expect(manager.receive() == "READY=1\nSTATUS=2 accounts all well")
            try ServiceManager.notify(.reloading)
            #expect(manager.receive().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
            try ServiceManager.notify(.stopping)
            #expect(manager.receive() == "STOPPING=1")
        }
    }

    @Test func `without a manager nothing is told, and that is no failure`() async {
        await #expect(processExitsWith: .success) {
            unsetenv("NOTIFY_SOCKET")
            let isTold = try ServiceManager.notify(.ready)
            let descriptors = try ServiceManager.takeListenDescriptors()
            #expect(!isTold && descriptors.isEmpty)
        }
    }

    @Test func `a manager that is gone is an error`() async {
        await #expect(processExitsWith: .success) {
            setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1)
            #expect(throws: SystemdError.self) { try ServiceManager.notify(.ready) }
        }
    }

    @Test func `sockets come by their names, once, and not to children`() async {
        await #expect(processExitsWith: .success) {
            while open("/dev/null", O_RDONLY) < 5 {}
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", "3", 1)
            setenv("LISTEN_FDNAMES", "tokend:build:tokend", 1)
            let descriptors = try ServiceManager.takeListenDescriptors()
            #expect(descriptors == ["tokend": [3, 5], "build": [4]])
            #expect(fcntl(5, F_GETFD) & FD_CLOEXEC != 0)
            #expect(getenv("LISTEN_FDS") == nil && getenv("LISTEN_PID") == nil && getenv("LISTEN_FDNAMES") == nil)
            let left = try ServiceManager.takeListenDescriptors()
            #expect(left.isEmpty)
        }
    }

    @Test func `sockets of another process are left alone`() async {
        await #expect(processExitsWith: .success) {
            setenv("LISTEN_PID", "1", 1)
            setenv("LISTEN_FDS", "1", 1)
            let left = try ServiceManager.takeListenDescriptors()
            #expect(left.isEmpty)
        }
    }

    @Test func `the loop feeds the watchdog by itself`() async {
        await #expect(processExitsWith: .success) {
            let manager = try NotifySocket()
            setenv("WATCHDOG_USEC", "40000", 1)
            unsetenv("WATCHDOG_PID")
            let loop = try EventLoop()
            #expect(try loop.enableWatchdog())
            var fed = 0
            let source = try loop.addDescriptor(manager.descriptor, events: .readable) { _ in
                fed += manager.receive() == "WATCHDOG=1" ? 1 : 0
                if fed == 3 { loop.exit() }
            }
            _ = try withExtendedLifetime(source) { try loop.run() }
        }
    }

    @Test func `a watchdog that nobody asked for is not fed`() async {
        await #expect(processExitsWith: .success) {
            unsetenv("WATCHDOG_USEC")
            let isAsked = try EventLoop().enableWatchdog()
            #expect(!isAsked)
        }
    }

    @Test func `only a listening stream socket with a path is one`() throws {
        let folder = try TemporaryFolder()
        let socket = BoundSocket(SOCK_STREAM, at: folder.path + "/s")
        #expect(!ServiceManager.isListeningUnixStream(socket.descriptor))
        listen(socket.descriptor, 1)
        #expect(ServiceManager.isListeningUnixStream(socket.descriptor))
        #expect(!ServiceManager.isListeningUnixStream(-1))
    }
}

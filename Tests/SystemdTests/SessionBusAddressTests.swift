// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Linux
import Testing

@testable import Systemd

/// Which message bus is the session's.
@Suite struct SessionBusAddressTests {
    @Test func `the sockets of an address are read`() {
        let address = BusAddress("tcp:host=a;unix:guid=1,path=/run/a%20b;unix:abstract=/tmp/x,guid=2")
        #expect(address.paths == ["/run/a b", "\0/tmp/x"])
    }

    @Test func `a bus that answers takes the place of one that is gone`() throws {
        let folder = "/tmp/tokend-bus-\(getpid())"
        mkdir(folder, 0o700)
        defer { rmdir(folder) }
        let bus = try UnixSocketListener.bind(folder + "/bus", mode: 0o600)
        defer {
            close(bus)
            unlink(folder + "/bus")
        }
        func resolve(_ named: String) -> String? {
            SessionBusAddress.resolve(environment: ["DBUS_SESSION_BUS_ADDRESS": named, "XDG_RUNTIME_DIR": folder])
        }
        for stale in ["unix:path=\(folder)/none", "unix:abstract=/none/tokend,guid=1", "unix:path=/x;unix:path=/y"] {
            #expect(resolve(stale) == "unix:path=\(folder)/bus")
        }
        // What may live stays: another transport, and an address of which one socket answers.
        for living in ["unix:path=\(folder)/bus,guid=7", "autolaunch:", "unix:path=/x;tcp:host=h,port=1"] {
            #expect(resolve(living) == living)
        }
        let nowhere = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/x", "XDG_RUNTIME_DIR": "/none"]
        #expect(SessionBusAddress.resolve(environment: nowhere) == "unix:path=/x")
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import HTTP
import HTTPTypes
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct LoopbackListenerTests {
    @Test(arguments: LoopbackAddress.allCases)
    func `a request reaches the handler as it came`(family: LoopbackAddress) async throws {
        let fixture = try await ListenerFixture.start([family])
        let answer = try await fixture.get("/cb/x%2Fy?code=a%20b&state=1?2", "X-Twice: 1\r\nX-Twice: 2\r\n", family)
        #expect(answer.status == 200)
        let request = try await fixture.requests.next("a request") { _ in true }
        #expect(request.method == .get)
        #expect(request.path == "/cb/x%2Fy")
        #expect(request.query == "code=a%20b&state=1?2")
        #expect(request.host == "\(family.literal):\(fixture.port)")
        #expect(request.headers.values(of: "x-twice") == ["1", "2"])
        #expect(request.body.isEmpty)
        #expect(!"\(request)".contains("code"))
    }

    @Test func `a form is read whole`() async throws {
        let fixture = try await ListenerFixture.start()
        let form = "code=" + String(repeating: "c", count: 65_000)
        let head = "POST /cb HTTP/1.1\r\nHost: 127.0.0.1:\(fixture.port)\r\nContent-Length: \(form.utf8.count)\r\n\r\n"
        #expect(try await fixture.send(head + form).status == 200)
        let request = try await fixture.requests.next("a request") { _ in true }
        #expect(request.method == .post)
        #expect(request.body == Array(form.utf8))
    }

    @Test func `localhost is listened for on both families at one port`() async throws {
        let fixture = try await ListenerFixture.start([.v4, .v6])
        #expect(await fixture.listener.addresses == [.v4, .v6])
        for family in LoopbackAddress.allCases {
            #expect(try await fixture.get("/", "", family).status == 200)
        }
    }

    @Test func `only loopback addresses are bound`() async throws {
        let fixture = try await ListenerFixture.start([.v4, .v6])
        let listing = try await ChildProcess.run(
            "ss",
            ["-Hltn"],
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        )
        let bound = listing.output.split(separator: "\n").compactMap { line -> Substring? in
            let columns = line.split(separator: " ")
            return columns.count > 3 && columns[3].hasSuffix(":\(fixture.port)") ? columns[3] : nil
        }
        #expect(Set(bound) == ["127.0.0.1:\(fixture.port)", "[::1]:\(fixture.port)"])
    }

    @Test func `an answer may come later, and other requests are served meanwhile`() async throws {
        let held = EventLog<ListenerReply>()
        let fixture = try await ListenerFixture.start { request, reply in
            if request.path == "/cb" { held.append(reply) } else { reply.respond(.notPartOfLogin(status: 404)) }
        }
        async let first = fixture.get("/cb?code=1")
        let reply = try await held.next("a held request") { _ in true }
        #expect(try await fixture.get("/favicon.ico").status == 404)
        await reply.redirect(to: "/done")
        let answer = try await first
        #expect(answer.status == 303)
        #expect(answer.header("Location") == "/done")
        #expect(answer.header("Cache-Control") == "no-store")
    }

    @Test func `only the first answer counts, and its delivery is told`() async throws {
        let deliveries = EventLog<String>()
        let fixture = try await ListenerFixture.start { _, reply in
            reply.respond(.denied(account: "work")) { deliveries.append("first") }
            reply.respond(.signedIn(account: "work")) { deliveries.append("second") }
        }
        #expect(try await fixture.get("/").body.contains("declined"))
        _ = try await deliveries.next("a delivery") { _ in true }
        #expect(deliveries.all == ["first"])
    }

    @Test func `a reply that nobody uses is answered all the same`() async throws {
        let fixture = try await ListenerFixture.start { _, _ in }
        #expect(try await fixture.get("/").status == 503)
    }

    @Test func `a port of another sign-in is named, and nothing is left behind`() async throws {
        // A port that no other test's listener is given, in the other family.
        let first = try await ListenerFixture.start([.v6], port: FreePort.find())
        let error = await #expect(throws: ListenerError.self) {
            try await ListenerFixture.start([.v4, .v6], port: first.port)
        }
        #expect(error?.code == .portTaken)
        #expect(error?.message == "port \(first.port) on [::1] is taken by another sign-in of tokend")
        #expect(await first.isClosed(.v4))
    }

    @Test func `a port of another program is named, and so is the program`() async throws {
        let script = """
            import socket
            s = socket.create_server(("0.0.0.0", 0))
            print(s.getsockname()[1], flush=True)
            s.accept()
            """
        let holder = try ChildProcess("python3", ["-c", script], environment: ["PATH": "/usr/bin:/bin"])
        let port = try #require(UInt16(try await holder.line()))
        let error = await #expect(throws: ListenerError.self) { try await ListenerFixture.start(port: port) }
        #expect(error?.code == .portTaken)
        let message = try #require(error?.message)
        #expect(message.hasPrefix("port \(port) on 127.0.0.1 is taken by another program (python3"))
        #expect(message.hasSuffix(", process \(holder.processID))"))
    }

    @Test(arguments: ["::1", "::"])
    func `localhost needs both families: a port that another program holds on one is refused, with its name (D7)`(
        host: String
    ) async throws {
        let script = """
            import socket, sys
            s = socket.socket(socket.AF_INET6)
            s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind((sys.argv[1], int(sys.argv[2])))
            s.listen()
            print("listens", flush=True)
            s.accept()
            """
        // A port that no other test's listener is given, in the other family.
        let port = try FreePort.find()
        let command = ["-c", script, host, "\(port)"]
        let holder = try ChildProcess("python3", command, environment: ["PATH": "/usr/bin:/bin"])
        _ = try await holder.line { $0 == "listens" }
        let error = await #expect(throws: ListenerError.self) {
            try await ListenerFixture.start([.v4, .v6], port: port)
        }
        #expect(error?.code == .portTaken)
        #expect(error?.message.hasPrefix("port \(port) on [::1] is taken by another program (python3") == true)
        // The family that was free is released again.
        #expect(try await ListenerFixture.start([.v4], port: port).port == port)
    }

    @Test(.enabled("needs the right to make a network of its own") { Namespace.isPermitted })
    func `a port that the system picks is free on both families, or the next one is tried (D7)`() async {
        await #expect(processExitsWith: .success) {
            LoopThread.start
            try await Self.pickAmongFewPorts()
        }
    }

    /// In a network of the loop's thread alone, half of whose ports another listener holds on ::1.
    @LoopActor private static func pickAmongFewPorts() throws {
        try Namespace.network.enter()
        let raised = system("ip link set lo up")
        try #require(raised == 0)
        let range = open("/proc/sys/net/ipv4/ip_local_port_range", O_WRONLY)
        let text = "40000 40127"
        try #require(write(range, text, text.utf8.count) == text.utf8.count)
        close(range)
        let held = try (UInt16(40_000)...40_127).filter { $0 & 2 == 0 }.map { port in
            try LoopbackListener(addresses: [.v6], port: port) { _, _ in }
        }
        for _ in 0..<12 {
            let listener = try LoopbackListener(addresses: [.v4, .v6]) { _, _ in }
            #expect(listener.addresses == [.v4, .v6] && !held.contains { $0.port == listener.port })
            listener.close()
        }
    }

    @Test func `a port is free again as soon as its listener has closed`() async throws {
        let first = try await ListenerFixture.start(port: FreePort.find())
        #expect(try await first.get("/").status == 200)
        await first.listener.close()
        #expect(await first.isClosed())
        let second = try await ListenerFixture.start(port: first.port)
        #expect(second.port == first.port)
    }

    @Test func `closing delivers what is owed and nothing else`() async throws {
        let held = EventLog<ListenerReply>()
        let fixture = try await ListenerFixture.start(port: FreePort.find()) { _, reply in held.append(reply) }
        async let answer = fixture.get("/cb?code=1")
        let reply = try await held.next("a held request") { _ in true }
        await fixture.listener.close()
        #expect(await fixture.isClosed())
        await reply.respond(.signedIn(account: "work"))
        #expect(try await answer.body.contains("You are signed in"))
    }

    @Test func `closing in the handler delivers that very answer`() async throws {
        let listeners = EventLog<LoopbackListener>()
        let fixture = try await ListenerFixture.start(port: FreePort.find()) { _, reply in
            reply.respond(.signedIn(account: "work"))
            for listener in listeners.all { listener.close() }
        }
        listeners.append(fixture.listener)
        #expect(try await fixture.get("/done").status == 200)
        #expect(await fixture.isClosed())
    }

    @Test func `closing does not wait for ever for an answer that does not come`() async throws {
        let held = EventLog<ListenerReply>()
        let fixture = try await ListenerFixture.start { _, reply in held.append(reply) }
        let answer = Task { try await fixture.get("/cb?code=1") }
        let reply = try await held.next("a held request") { _ in true }
        await fixture.listener.close(grace: .milliseconds(50))
        await #expect(throws: (any Error).self) { try await answer.value }
        await reply.respond(.signedIn(account: "work"))
    }

    @Test func `a listener that is let go of is closed`() async throws {
        LoopThread.start
        let port = try await Self.openAndDrop()
        let fixture = try await ListenerFixture.start(port: port)
        #expect(fixture.port == port)
    }

    @LoopActor private static func openAndDrop() throws -> UInt16 {
        try LoopbackListener(addresses: [.v4, .v6]) { _, _ in }.port
    }

    @Test(.enabled("needs the right to make a network of its own") { Namespace.isPermitted })
    func `a machine without IPv6 is served on IPv4 alone`() async {
        await #expect(processExitsWith: .success) {
            LoopThread.start
            try await Self.listenWithoutIPv6()
        }
    }

    /// In a network of the loop's thread alone, where the loopback device has no IPv6.
    @LoopActor private static func listenWithoutIPv6() throws {
        try Namespace.network.enter()
        let raised = system("ip link set lo up")
        try #require(raised == 0)
        let switched = open("/proc/sys/net/ipv6/conf/lo/disable_ipv6", O_WRONLY)
        #expect(write(switched, "1", 1) == 1)
        close(switched)
        let listener = try LoopbackListener(addresses: [.v4, .v6]) { _, _ in }
        #expect(listener.addresses == [.v4])
        let error = #expect(throws: ListenerError.self) { try LoopbackListener(addresses: [.v6]) { _, _ in } }
        #expect(error?.code == .noAddress)
        #expect(error?.message == "this machine has no address [::1]")
    }
}

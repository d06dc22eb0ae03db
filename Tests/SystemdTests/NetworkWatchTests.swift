// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc
import Testing

@testable import Systemd

/// What the kernel tells of networks.
@Suite(.onLoop, .timeLimit(.minutes(1)))
struct NetworkWatchTests {
    private static let running = UInt32(IFF_RUNNING)

    private static func message<Body>(_ type: Int, _ body: Body) -> [UInt8] {
        var header = nlmsghdr()
        header.nlmsg_type = UInt16(type)
        header.nlmsg_len = UInt32(MemoryLayout<nlmsghdr>.size + MemoryLayout<Body>.size)
        return withUnsafeBytes(of: header) { Array($0) } + withUnsafeBytes(of: body) { Array($0) }
    }

    private static func tells(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { NetworkWatch.messages($0) }
    }

    private static func link(flags: UInt32, change: UInt32) -> [UInt8] {
        var link = ifinfomsg()
        link.ifi_flags = flags
        link.ifi_change = change
        return message(RTM_NEWLINK, link)
    }

    private static func address(scope: rt_scope_t, _ type: Int = RTM_NEWADDR) -> [UInt8] {
        var address = ifaddrmsg()
        address.ifa_scope = UInt8(scope.rawValue)
        return message(type, address)
    }

    private static func route(bits: UInt8, _ type: Int = RTM_NEWROUTE) -> [UInt8] {
        var route = rtmsg()
        route.rtm_dst_len = bits
        route.rtm_type = UInt8(RTN_UNICAST)
        return message(type, route)
    }

    @Test func `an address, a default route and a carrier that come are told`() {
        #expect(Self.tells(Self.address(scope: RT_SCOPE_UNIVERSE)))
        #expect(Self.tells(Self.route(bits: 0)))
        #expect(Self.tells(Self.link(flags: Self.running, change: Self.running)))
        #expect(Self.tells(Self.route(bits: 24) + Self.route(bits: 0)))
    }

    @Test func `what goes, and what leads nowhere, is not`() {
        #expect(!Self.tells(Self.address(scope: RT_SCOPE_LINK)))
        #expect(!Self.tells(Self.address(scope: RT_SCOPE_UNIVERSE, RTM_DELADDR)))
        #expect(!Self.tells(Self.route(bits: 24)))
        #expect(!Self.tells(Self.route(bits: 0, RTM_DELROUTE)))
        #expect(!Self.tells(Self.link(flags: 0, change: Self.running)))
        #expect(!Self.tells(Self.link(flags: Self.running, change: 0)))
        #expect(!Self.tells(Self.link(flags: Self.running | UInt32(IFF_LOOPBACK), change: Self.running)))
    }

    @Test func `a message that is cut off, or lies about its length, is left alone`() {
        let whole = Self.route(bits: 0)
        for end in 0..<whole.count { #expect(!Self.tells(Array(whole[..<end]))) }
        for length in [UInt32(0), 15, 17, .max] {
            var bytes = whole
            withUnsafeBytes(of: length) { bytes.replaceSubrange(0..<4, with: $0) }
            #expect(!Self.tells(bytes))
        }
    }

    @Test(.enabled(if: geteuid() == 0, "needs root: a network of its own"))
    @LoopActor func `the kernel's own word for an address that comes`() async throws {
        let (events, told) = AsyncStream<Void>.makeStream()
        // The socket belongs to the network in which it was made.
        let before = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)
        defer { close(before) }
        try call("unshare", 0x4000_0000)
        let source = Result { () throws(SystemdError) in try NetworkWatch.start(on: .main) { told.yield() } }
        let added = system("ip link set lo up && ip address add 192.0.2.1/32 dev lo")
        try setNamespace(before)
        #expect(added == 0)
        let watch = try source.get()
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        withExtendedLifetime(watch) {}
    }

    /// Swift's Glibc does not show these.
    private func call(_ name: String, _ flag: Int32) throws {
        typealias Unshare = @convention(c) (Int32) -> Int32
        let unshare = unsafeBitCast(try #require(dlsym(nil, name)), to: Unshare.self)
        try #require(unshare(flag) == 0)
    }

    private func setNamespace(_ descriptor: Int32) throws {
        typealias SetNamespace = @convention(c) (Int32, Int32) -> Int32
        let setns = unsafeBitCast(try #require(dlsym(nil, "setns")), to: SetNamespace.self)
        try #require(setns(descriptor, 0) == 0)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc
import Linux

/// The kernel's events about this machine's network (`rtnetlink(7)`).
package enum NetworkWatch {
    /// Reports when a provider may have become reachable: a new address, default route, or carrier. Losses are not
    /// reported.
    ///
    /// One change of a network is reported several times, and some are irrelevant (a prolonged IPv6 lifetime): the
    /// handler waits a moment, and does nothing if nothing had failed.
    package static func start(
        on loop: EventLoop,
        handler: @escaping () -> Void
    ) throws(SystemdError) -> EventSource {
        let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = try SystemdError.checkErrno(
            SocketDescriptor.open(family: AF_NETLINK, type: type, protocol: NETLINK_ROUTE),
            "watch the network"
        )
        do throws(SystemdError) {
            try bind(descriptor)
            let source = try loop.addDescriptor(descriptor, events: .readable) { _ in
                if readAll(descriptor) { handler() }
            }
            source.ownDescriptor()
            return source
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// The relevant message groups: links, addresses and routes of both families.
    private static let groups =
        RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE

    private static func bind(_ descriptor: Int32) throws(SystemdError) {
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = UInt32(groups)
        let size = socklen_t(MemoryLayout<sockaddr_nl>.size)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, size) }
        }
        try SystemdError.checkErrno(bound, "watch the network")
    }

    /// Reads until nothing is left; returns whether a network has come.
    private static func readAll(_ descriptor: Int32) -> Bool {
        var hasCome = false
        withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { buffer in
            while true {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                if count > 0 {
                    hasCome = messages(UnsafeRawBufferPointer(rebasing: buffer[..<count])) || hasCome
                } else if count < 0, errno == ENOBUFS {
                    // Messages were lost because there were too many changes.
                    hasCome = true
                } else if count == 0 || errno != EINTR {
                    return
                }
            }
        }
        return hasCome
    }

    /// Whether a datagram reports a new address, route or carrier.
    static func messages(_ datagram: UnsafeRawBufferPointer) -> Bool {
        var rest = datagram[...]
        while rest.count >= MemoryLayout<nlmsghdr>.size {
            let header = UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: nlmsghdr.self)
            let length = Int(header.nlmsg_len)
            guard length >= MemoryLayout<nlmsghdr>.size, length <= rest.count else { return false }
            let body = UnsafeRawBufferPointer(rebasing: rest.prefix(length).dropFirst(MemoryLayout<nlmsghdr>.size))
            if isWay(header.nlmsg_type, body) { return true }
            rest = rest.dropFirst(min((length + 3) & ~3, rest.count))
        }
        return false
    }

    private static func isWay(_ type: UInt16, _ body: UnsafeRawBufferPointer) -> Bool {
        switch Int32(type) {
        case Int32(RTM_NEWADDR):
            guard body.count >= MemoryLayout<ifaddrmsg>.size else { return false }
            return body.loadUnaligned(as: ifaddrmsg.self).ifa_scope == UInt8(RT_SCOPE_UNIVERSE.rawValue)
        case Int32(RTM_NEWROUTE):
            guard body.count >= MemoryLayout<rtmsg>.size else { return false }
            let route = body.loadUnaligned(as: rtmsg.self)
            return route.rtm_dst_len == 0 && Int(route.rtm_type) == RTN_UNICAST
        case Int32(RTM_NEWLINK):
            guard body.count >= MemoryLayout<ifinfomsg>.size else { return false }
            let link = body.loadUnaligned(as: ifinfomsg.self)
            let running = UInt32(IFF_RUNNING)
            let hasChanged = link.ifi_change & running != 0
            return hasChanged && link.ifi_flags & running != 0 && link.ifi_flags & UInt32(IFF_LOOPBACK) == 0
        default:
            return false
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc
import Linux

/// Asks the kernel for one TCP socket of this process's network namespace by its ends (sock_diag(7)).
enum SocketDiagnosis {
    private struct Question {
        var header = nlmsghdr()
        var request = inet_diag_req_v2()
    }

    /// The socket with these two ends; nil if there is none, or if the kernel does not answer.
    ///
    /// - Parameter remote: nil for a listening socket.
    static func record(local: SocketName, remote: SocketName?) -> SocketRecord? {
        let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = SocketDescriptor.open(family: AF_NETLINK, type: type, protocol: NETLINK_SOCK_DIAG)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var question = question(local, remote)
        let size = MemoryLayout<Question>.size
        guard send(descriptor, &question, size, 0) == size else { return nil }
        // The kernel has already answered. Other programs cannot send here without network administration rights.
        let answer = withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { buffer -> SocketRecord? in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            return count > 0 ? record(in: UnsafeRawBufferPointer(rebasing: buffer[..<count])) : nil
        }
        // Without such a connection, the kernel returns a socket that listens at the same port.
        guard let answer, answer.local == local, answer.isListening == (remote == nil) else { return nil }
        return remote == nil || answer.remote == remote ? answer : nil
    }

    private static func question(_ local: SocketName, _ remote: SocketName?) -> Question {
        var question = Question()
        question.header.nlmsg_len = UInt32(MemoryLayout<Question>.size)
        question.header.nlmsg_type = UInt16(SOCK_DIAG_BY_FAMILY)
        question.header.nlmsg_flags = UInt16(NLM_F_REQUEST)
        question.request.sdiag_family = UInt8(local.isIPv4 ? AF_INET : AF_INET6)
        question.request.sdiag_protocol = UInt8(IPPROTO_TCP)
        question.request.idiag_states = .max
        question.request.id.idiag_sport = local.port.bigEndian
        fill(&question.request.id.idiag_src, local.address)
        question.request.id.idiag_dport = (remote?.port ?? 0).bigEndian
        fill(&question.request.id.idiag_dst, remote?.address ?? [])
        // INET_DIAG_NOCOOKIE: any socket with these ends.
        question.request.id.idiag_cookie = (.max, .max)
        return question
    }

    private static func fill<Words>(_ words: inout Words, _ address: [UInt8]) {
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: address) }
    }

    private static func record(in datagram: UnsafeRawBufferPointer) -> SocketRecord? {
        let start = MemoryLayout<nlmsghdr>.size
        guard datagram.count >= start + MemoryLayout<inet_diag_msg>.size,
            datagram.loadUnaligned(as: nlmsghdr.self).nlmsg_type == UInt16(SOCK_DIAG_BY_FAMILY)
        else { return nil }
        let message = datagram.loadUnaligned(fromByteOffset: start, as: inet_diag_msg.self)
        let length = Int32(message.idiag_family) == AF_INET ? 4 : 16
        func name(_ words: some Any, _ port: UInt16) -> SocketName {
            SocketName(address: withUnsafeBytes(of: words) { Array($0.prefix(length)) }, port: UInt16(bigEndian: port))
        }
        return SocketRecord(
            local: name(message.id.idiag_src, message.id.idiag_sport),
            remote: name(message.id.idiag_dst, message.id.idiag_dport),
            isListening: message.idiag_state == SocketTable.listening,
            uid: message.idiag_uid,
            inode: UInt64(message.idiag_inode)
        )
    }
}

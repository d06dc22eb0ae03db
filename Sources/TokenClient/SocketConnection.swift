// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TokendProtocol

/// One connection to the daemon's socket: lines out, lines in, each with a deadline. Owns its descriptor.
final class SocketConnection {
    /// The result of waiting for a line.
    enum Arrival {
        case line([UInt8])
        case closed
        case deadline
        /// The watched descriptor became readable.
        case interrupted
    }

    private let descriptor: Int32
    /// The daemon's limit is 256 KiB for a request; its answers may be longer.
    private var framer = LineFramer(limit: 16 * 1024 * 1024)
    private var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    private var ended = false

    /// Connects, and makes sure that the listener is the user `listener`, before anything is sent.
    init(path: String, listener: UInt32, deadline: Deadline) throws(TokenClientError) {
        let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let failure = errno
        guard made >= 0 else {
            let reason = Self.text(of: failure)
            throw TokenClientError(.daemonAbsent, "no socket can be made: \(reason)", systemError: failure)
        }
        descriptor = made
        // From here on `deinit` closes it, also if one of these throws.
        try connect(to: path, deadline: deadline)
        try checkPeer(path, listener)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(descriptor)
    }

    /// Whether the daemon has closed it; does not wait.
    var isStale: Bool {
        guard !ended else { return true }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 0) == 1 else { return false }
        if Int32(waiting.revents) & (POLLHUP | POLLERR) != 0 { return true }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) == 0
    }

    /// Sends all the bytes; false if the daemon is gone.
    func send(_ bytes: [UInt8], deadline: Deadline) throws(TokenClientError) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    descriptor,
                    buffer.baseAddress?.advanced(by: sent),
                    buffer.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
            }
            let failure = errno
            if count >= 0 {
                sent += count
            } else if failure == EAGAIN {
                guard wait(for: POLLOUT, deadline: deadline, watching: -1) == .ready else {
                    throw TokenClientError(.timeout, "the daemon takes no request")
                }
            } else if failure != EINTR {
                return false
            }
        }
        return true
    }

    /// The next line, without its newline. `watching`: a descriptor that ends the wait when it becomes readable; -1 for
    /// none.
    func nextLine(deadline: Deadline, watching: Int32) throws(TokenClientError) -> Arrival {
        while true {
            switch framer.next() {
            case .line(let line): return .line(line)
            case .overlong: throw TokenClientError(.protocolViolation, "the daemon's answer has no end")
            case nil: break
            }
            guard !ended else { return .closed }
            switch wait(for: POLLIN, deadline: deadline, watching: watching) {
            case .ready: readChunk()
            case .deadline: return .deadline
            case .interrupted: return .interrupted
            }
        }
    }

    private func readChunk() {
        let count = recv(descriptor, &chunk, chunk.count, 0)
        let failure = errno
        if count > 0 {
            chunk.withUnsafeBytes { framer.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        } else if count == 0 || (failure != EAGAIN && failure != EINTR) {
            ended = true
        }
    }

    private enum Wakening {
        case ready, deadline, interrupted
    }

    private func wait(for events: Int32, deadline: Deadline, watching: Int32) -> Wakening {
        while true {
            var waiting = [
                pollfd(fd: descriptor, events: Int16(events), revents: 0),
                pollfd(fd: watching, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&waiting, 2, deadline.pollTimeout)
            if count == 0 { return .deadline }
            guard count > 0 else { continue }
            return waiting[1].revents != 0 ? .interrupted : .ready
        }
    }
}

extension SocketConnection {
    private func connect(to path: String, deadline: Deadline) throws(TokenClientError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < room else {
            throw TokenClientError(.daemonAbsent, "the socket's path is too long for the system: \(path)")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        limitConnecting(to: deadline)
        var result: Int32 = -1
        repeat {
            result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        } while result != 0 && errno == EINTR
        guard result != 0 else { return }
        throw Self.refusal(errno, path)
    }

    /// Connecting to a Unix socket waits only if the daemon's queue is full; the send timeout limits that.
    private func limitConnecting(to deadline: Deadline) {
        let milliseconds = Int(deadline.pollTimeout)
        var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: (milliseconds % 1000) * 1000 + 1)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    private static func refusal(_ failure: Int32, _ path: String) -> TokenClientError {
        switch failure {
        case ENOENT, ECONNREFUSED, ENOTDIR:
            TokenClientError(.daemonAbsent, "tokend is not running (nothing listens at \(path))", systemError: failure)
        case EAGAIN:
            TokenClientError(.timeout, "tokend does not take the connection", systemError: failure)
        default:
            TokenClientError(
                .daemonAbsent,
                "cannot reach tokend at \(path): \(text(of: failure))",
                systemError: failure
            )
        }
    }

    private func checkPeer(_ path: String, _ listener: UInt32) throws(TokenClientError) {
        // struct ucred is behind _GNU_SOURCE: three 32-bit numbers, pid, uid and gid.
        var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, .max, .max)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        let result = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length)
        guard result == 0, credentials.uid == listener, !UserNamespace.hides(credentials.uid) else {
            throw TokenClientError(.untrustedPeer, Self.stranger(credentials.uid, path, listener))
        }
    }

    private static func stranger(_ uid: UInt32, _ path: String, _ listener: UInt32) -> String {
        guard !UserNamespace.hides(uid) else {
            return
                "whoever listens at \(path) has no uid in here (\(uid) stands for all users whom this container does not "
                + "know); nothing was sent; run the container with that user in it (podman: --userns=keep-id)"
        }
        let expected = listener == geteuid() ? "" : ", not uid \(listener)"
        return
            "another user (uid \(uid)) listens at \(path)\(expected); nothing was sent; if that is the user whose tokend "
            + "you mean, name both: TOKEND_SOCKET=\(path) TOKEND_SOCKET_UID=\(uid)"
    }

    private static func text(of failure: Int32) -> String {
        strerror(failure).map { String(cString: $0) } ?? "error \(failure)"
    }
}

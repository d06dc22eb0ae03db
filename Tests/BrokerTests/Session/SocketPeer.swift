// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Systemd
import TestSupport

/// A client at the other end of a real socket, which a test makes behave as it likes; it never blocks the loop.
@LoopActor final class SocketPeer {
    private var descriptor: Int32
    private var source: EventSource?
    private var received: [UInt8] = []
    private var unsent: ArraySlice<UInt8> = []
    private var isOver = false
    private var isReading = true
    private var waiting: [UnsafeContinuation<Void, Never>] = []

    /// Connects to a listening socket.
    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else { throw SystemdError(code: errno, operation: "connect to \(path)") }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        source = try EventLoop.main.addDescriptor(descriptor, events: .readable) { [unowned self] _ in ready() }
    }

    isolated deinit {
        close()
    }

    /// Writes, and goes on writing as the other side reads.
    func send(_ text: String) {
        send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) {
        unsent += bytes
        flush()
    }

    /// Has another process write on this connection, and waits for its end: nothing else runs on the loop meanwhile.
    func sendFromAnotherProcess(_ text: String) throws {
        let script = "printf '%s\\n' \"$0\" >&\(descriptor)"
        waitpid(try startProgram(["bash", "-c", script, text], keeping: descriptor), nil, 0)
    }

    /// Bytes that the daemon has not taken off the socket.
    var unsentCount: Int { unsent.count }

    /// The next line without its end; nil when the connection is over.
    func line() async -> String? {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                let line = String(decoding: received[..<end], as: UTF8.self)
                received.removeSubrange(...end)
                return line
            }
            guard !isOver else { return nil }
            await more()
        }
    }

    /// Waits for that many lines.
    func lines(_ count: Int) async -> [String] {
        var lines: [String] = []
        while lines.count < count, let line = await line() { lines.append(line) }
        return lines
    }

    /// Waits until the daemon has closed the connection.
    ///
    /// - Returns: what it sent last, read from here on.
    func end() async -> String {
        while !isOver { await more() }
        return String(decoding: received, as: UTF8.self)
    }

    /// Whether the daemon's end has been seen.
    var hasEnded: Bool { isOver }

    /// Does not take anything off the socket any more, until `resumeReading()`.
    func stopReading() {
        isReading = false
        watch()
    }

    func resumeReading() {
        isReading = true
        watch()
    }

    /// `shutdown(SHUT_WR)`: the end of the input, while replies still come.
    func finishWriting() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Leaves.
    func close() {
        guard descriptor >= 0 else { return }
        source?.cancel()
        source = nil
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Waits for bytes or the end; for a test whose time is up, the connection is over.
    private func more() async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { waiting.append($0) }
        } onCancel: {
            Task { @LoopActor in
                isOver = true
                wake()
            }
        }
    }

    private func ready() {
        flush()
        guard isReading else { return }
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        let code = errno
        if count > 0 {
            received += buffer[..<count]
        } else if count == 0 || (code != EAGAIN && code != EINTR) {
            isOver = true
            source?.events = []
            source?.disarm()
        } else {
            return
        }
        wake()
    }

    private func wake() {
        let resumed = waiting
        waiting = []
        for continuation in resumed { continuation.resume() }
    }

    private func flush() {
        while !unsent.isEmpty {
            let (count, code) = unsent.withUnsafeBytes { bytes in
                (Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)), errno)
            }
            if count < 0 {
                if code != EAGAIN { unsent = [] }
                break
            }
            unsent = unsent.dropFirst(count)
        }
        watch()
    }

    private func watch() {
        guard !isOver else { return }
        var events: DescriptorEvents = isReading ? .readable : []
        if !unsent.isEmpty { events.insert(.writable) }
        source?.events = events
    }
}

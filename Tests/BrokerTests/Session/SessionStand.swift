// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Members
import StrictJSON
import Systemd
import TokendProtocol

@testable import Broker

/// A server on a socket of its own, with a handler that a test controls.
@LoopActor final class SessionStand {
    let handler = PlayedHandler()
    let clock = HandClock()
    let server: SocketServer
    let path: String
    private let listener: Int32

    /// - Parameter uid: whose clients are served.
    init(uid: UInt32 = geteuid(), _ change: (inout SessionLimits) -> Void = { _ in }) throws {
        var template = Array("/tmp/tokend-test.XXXXXX".utf8CString)
        guard let folder = mkdtemp(&template) else { throw SystemdError(code: errno, operation: "make a folder") }
        path = String(cString: folder) + "/socket"
        listener = try UnixSocketListener.bind(path)
        var limits = SessionLimits()
        change(&limits)
        server = try SocketServer(
            loop: .main,
            clock: clock,
            listener: listener,
            limits: limits,
            handler: handler,
            uid: uid
        )
    }

    func peer() throws -> SocketPeer {
        try SocketPeer(path: path)
    }

    /// A round trip on another connection: whatever the server could do before, it has done.
    func roundTrip() async throws {
        try Task.checkCancellation()
        let other = try peer()
        for _ in 0..<3 {
            other.send("{\"method\":\"echo\"}\n")
            _ = await other.line()
        }
        other.close()
    }

    /// Waits until the server measures the time that a client has.
    func patience() async throws {
        while clock.scheduled.isEmpty { try await roundTrip() }
    }

    /// Waits until the server has released its clients but `count`.
    func clients(_ count: Int) async throws {
        while server.clientCount != count { try await roundTrip() }
    }

    func end() {
        server.stopAccepting()
        server.closeAll()
        close(listener)
        unlink(path)
        rmdir(String(path.dropLast(7)))
    }
}

/// Answers what a test's clients ask: `echo` at once, `now` at once by way of a later reply, `wait` when the test says
/// so, `big` with as many bytes as it is told, `subscribe`.
@LoopActor final class PlayedHandler: RequestHandler {
    /// The pending replies, in the order of their requests.
    private(set) var owed: [PendingReply] = []
    /// Requests that were taken, by method.
    private(set) var taken: [String] = []
    /// How many clients left before they were answered.
    private(set) var abandoned = 0
    private var watchers: [(Int, UnsafeContinuation<Void, Never>)] = []
    private var leavers: [UnsafeContinuation<Void, Never>] = []

    func handle(_ request: RequestMessage, from session: ClientSession) -> Handling {
        taken.append(request.method)
        defer { wake(taken.count) }
        switch request.method {
        case "wait":
            return .later { reply in
                reply.onAbandon = { self.left() }
                self.owed.append(reply)
            }
        case "now":
            return .later { reply in reply.succeed(Echo(json: request.params)) }
        case "big":
            let count = request.params["bytes"]?.int64 ?? 0
            return reply(["text": .string(String(repeating: "x", count: Int(count)))], to: request)
        case "subscribe":
            guard session.subscribe() else { return reply(["refused": true], to: request) }
            return reply([:], to: request)
        default:
            return reply(request.params, to: request)
        }
    }

    /// Waits until that many requests were taken, or the test's time is up.
    func taken(_ count: Int) async {
        guard taken.count < count else { return }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { watchers.append((count, $0)) }
        } onCancel: {
            Task { @LoopActor in wake(.max) }
        }
    }

    /// Waits until a client has left, or the test's time is up.
    func someoneLeaves() async {
        guard abandoned == 0 else { return }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { leavers.append($0) }
        } onCancel: {
            Task { @LoopActor in wakeLeavers() }
        }
    }

    private func left() {
        abandoned += 1
        wakeLeavers()
    }

    private func wakeLeavers() {
        for leaver in leavers { leaver.resume() }
        leavers = []
    }

    private func wake(_ count: Int) {
        let due = watchers.filter { $0.0 <= count }
        watchers.removeAll { $0.0 <= count }
        for (_, continuation) in due { continuation.resume() }
    }

    private func reply(_ object: JSONObject, to request: RequestMessage) -> Handling {
        .reply(request.isNotification ? [] : ReplyMessage.result(Echo(json: object), to: request))
    }
}

/// A result that is what was sent.
struct Echo: MethodResult {
    static let members: [Member<Echo>] = []
    private var object: JSONObject = [:]

    init() {}

    init(json: JSONObject) {
        object = json
    }

    func encoded() -> JSONObject { object }
}

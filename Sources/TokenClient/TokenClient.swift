// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
package import StrictJSON
package import TokendProtocol

/// A client of `tokend`, the daemon that keeps OAuth access tokens fresh.
///
/// ```swift
/// let client = try TokenClient()
/// let token = try client.accessToken(account: "work")
/// request.setValue("Bearer \(token.text)", forHTTPHeaderField: "Authorization")
/// // The API answered 401? Once more, and say which token it refused:
/// var options = TokenClient.TokenOptions()
/// options.rejected = token
/// let newer = try client.accessToken(account: "work", options: options)
/// ```
///
/// Calls block until the answer is there or their time has run out; one instance belongs to one thread at a time (it is
/// not `Sendable`). It connects with the first call, checks that the listener runs as the same user, or as the one that
/// was named, before it sends anything, and connects anew, once a call, where the daemon was restarted meanwhile.
public final class TokenClient {
    /// The socket's path.
    public let socketPath: String
    /// The required user of the listener.
    package let listener: UInt32
    private var connection: SocketConnection?
    private var lastID: Int64 = 0
    /// Whether the daemon has ever answered.
    private var hasHeard = false
    /// Replies that arrived while another was awaited.
    private var early: [Int64: Reply] = [:]
    private var events: [EventMessage] = []
    private var isSubscribed = false

    /// A client of the daemon at `socketPath`; nil: at the environment's path (`TOKEND_SOCKET`, else below
    /// `XDG_RUNTIME_DIR`). Does not connect yet.
    ///
    /// `listener`: the uid of the daemon's user, if another user serves this one on a further socket
    /// (`sockets.NAME.uids`). nil: this user or, with `TOKEND_SOCKET`, the one in `TOKEND_SOCKET_UID`.
    public init(socketPath: String? = nil, listener: UInt32? = nil) throws(TokenClientError) {
        if let socketPath {
            self.socketPath = socketPath
            self.listener = listener ?? geteuid()
        } else {
            let variables = SocketLocation.variables()
            self.socketPath = try SocketLocation.path(in: variables)
            if let listener {
                self.listener = listener
            } else {
                self.listener = try SocketLocation.listener(in: variables)
            }
        }
    }

    /// The same, with the caller's environment.
    package init(environment: [String: String]) throws(TokenClientError) {
        socketPath = try SocketLocation.path(in: environment)
        listener = try SocketLocation.listener(in: environment)
    }

    /// A request that was sent and is not answered yet.
    package struct PendingReply {
        let id: Int64
        let method: Method

        /// The request as a line.
        func line(_ params: JSONObject) -> [UInt8] {
            RequestMessage(method: method.rawValue, params: params, id: RawID(id)).line()
        }
    }

    /// The result of waiting.
    package enum Arrival {
        case reply(JSONObject)
        case deadline
        /// The watched descriptor became readable.
        case interrupted
    }

    private typealias Reply = Result<JSONObject, TokenClientError>

    /// Sends a request and waits for its result; throws the daemon's error, or `timeout` at the deadline.
    package func call(
        _ method: Method,
        _ params: JSONObject = [:],
        timeout: Duration = .seconds(90),
        watching: Int32 = -1
    ) throws(TokenClientError) -> JSONObject {
        let deadline = Deadline(in: timeout)
        let pending = try send(method, params, deadline: deadline)
        switch try wait(for: pending, until: deadline, watching: watching, resend: params) {
        case .reply(let result): return result
        case .deadline: throw TokenClientError(.timeout, "tokend has not answered in time")
        case .interrupted: throw TokenClientError(.interrupted, "interrupted")
        }
    }

    /// Sends a request without waiting for its reply.
    package func send(
        _ method: Method,
        _ params: JSONObject,
        deadline: Deadline
    ) throws(TokenClientError) -> PendingReply {
        lastID += 1
        let pending = PendingReply(id: lastID, method: method)
        let line = pending.line(params)
        if let open = connection, open.isStale { connection = nil }
        if connection == nil { connection = try connected(deadline) }
        if try connection?.send(line, deadline: deadline) == true { return pending }
        let fresh = try connected(deadline)
        connection = fresh
        guard try fresh.send(line, deadline: deadline) else { throw lost(method) }
        return pending
    }

    /// Waits for the reply. May be called again after a deadline or an interruption.
    ///
    /// `resend`: the parameters to send once more if the daemon went away before it answered; only for idempotent
    /// methods.
    package func wait(
        for pending: PendingReply,
        until deadline: Deadline,
        watching: Int32 = -1,
        resend: JSONObject? = nil
    ) throws(TokenClientError) -> Arrival {
        var resend = pending.method.mayRepeat ? resend : nil
        while true {
            if let reply = early.removeValue(forKey: pending.id) { return .reply(try reply.get()) }
            guard let open = connection else { throw lost(pending.method) }
            switch try open.nextLine(deadline: deadline, watching: watching) {
            case .line(let line): try take(line)
            case .deadline: return .deadline
            case .interrupted: return .interrupted
            case .closed:
                let again = resend
                resend = nil
                try reconnect(for: pending, with: again, deadline: deadline)
            }
        }
    }

    /// The next event of a subscribed connection; nil at the deadline or the interruption. Throws `connection_lost` if
    /// the daemon is gone: subscribe again.
    package func nextEvent(until deadline: Deadline, watching: Int32 = -1) throws(TokenClientError) -> EventMessage? {
        while true {
            if !events.isEmpty { return events.removeFirst() }
            guard let open = connection else { throw lost(.eventsSubscribe) }
            switch try open.nextLine(deadline: deadline, watching: watching) {
            case .line(let line): try take(line)
            case .deadline, .interrupted: return nil
            case .closed:
                connection = nil
                throw lost(.eventsSubscribe)
            }
        }
    }

    private func connected(_ deadline: Deadline) throws(TokenClientError) -> SocketConnection {
        try SocketConnection(path: socketPath, listener: listener, deadline: deadline)
    }

    private func reconnect(
        for pending: PendingReply,
        with params: JSONObject?,
        deadline: Deadline
    ) throws(TokenClientError) {
        connection = nil
        guard let params else { throw lost(pending.method) }
        let fresh = try connected(deadline)
        guard try fresh.send(pending.line(params), deadline: deadline) else { throw lost(pending.method) }
        connection = fresh
    }

    private func take(_ line: [UInt8]) throws(TokenClientError) {
        hasHeard = true
        guard let message = try? ServerMessage(line: line) else {
            connection = nil
            throw TokenClientError(.protocolViolation, "what listens at \(socketPath) does not speak tokend's protocol")
        }
        switch message {
        case .event(let event): events.append(event)
        case .reply(let reply):
            let answer = Self.answer(in: reply)
            if let id = reply.id?.number {
                early[id] = answer
            } else if case .failure(let error) = answer {
                // The daemon could not read a request, and it is unknown which.
                throw error
            }
        case .unknown: break
        }
    }
}

extension TokenClient {
    private static func answer(in reply: ReplyMessage) -> Reply {
        switch reply.outcome {
        case .success(let result): .success(result.object ?? [:])
        case .failure(let error): .failure(TokenClientError(reply: error, number: reply.number))
        }
    }

    /// Another user's daemon that closes without an answer has refused this user (SO_PEERCRED).
    private func lost(_ method: Method) -> TokenClientError {
        guard !hasHeard, listener != geteuid() else {
            return TokenClientError(.connectionLost, "tokend went away before it answered “\(method.rawValue)”")
        }
        return TokenClientError(
            .notAllowed,
            "tokend of uid \(listener) closed the connection at once: it does not serve uid \(geteuid()) at "
                + "\(socketPath); let its owner add that uid to the socket's `uids` (for a container's user, the uid that "
                + "it has outside)"
        )
    }
}

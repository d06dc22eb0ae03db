// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Systemd
import TokendProtocol

@testable import Broker

/// A client that speaks JSON-RPC to the router over a real socket, and takes replies in whatever order they come.
@LoopActor final class MethodClient {
    typealias Reply = Result<JSONObject, ProtocolError>

    private let peer: SocketPeer
    private var count: Int64 = 0
    private var replies: [String: Reply] = [:]
    /// How many notifications have come.
    private(set) var events = 0

    init(path: String) throws {
        peer = try SocketPeer(path: path)
    }

    /// Sends a request and does not wait.
    func send(_ method: Method, _ params: JSONObject = [:]) -> Int64 {
        count += 1
        peer.send(RequestMessage(method: method.rawValue, params: params, id: RawID(count)).line())
        return count
    }

    /// The reply to a request that was sent; a connection that ended is an `internal_error`.
    func reply(to id: Int64) async -> Reply {
        while replies[String(id)] == nil {
            guard let line = await peer.line() else {
                return .failure(ProtocolError(.internalError, "The connection is over."))
            }
            guard case .reply(let reply)? = try? ServerMessage(line: Array(line.utf8)), let id = reply.id else {
                events += 1
                continue
            }
            replies[id.text] = reply.outcome.map { $0.object ?? [:] }
        }
        return replies.removeValue(forKey: String(id)) ?? .success([:])
    }

    /// Sends a request and waits for its reply.
    func call(_ method: Method, _ params: JSONObject = [:]) async -> Reply {
        await reply(to: send(method, params))
    }

    /// Whether a reply has come already.
    func hasReply(to id: Int64) async -> Bool {
        await arrive()
        return replies[String(id)] != nil
    }

    /// Waits until the daemon has taken what was sent so far.
    func arrive() async {
        _ = await call(.hello)
    }

    func leave() {
        peer.close()
    }
}

extension Result where Failure == ProtocolError {
    /// The error's kind; nil for a result.
    var kind: ErrorKind? {
        guard case .failure(let error) = self else { return nil }
        return error.kind
    }

    /// The error; nil for a result.
    var error: ProtocolError? {
        guard case .failure(let error) = self else { return nil }
        return error
    }

    /// The result; nil for an error.
    var value: Success? { try? get() }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Synchronization
import TestSupport

/// A client that asks for one account's token as long as it may, and connects again whenever the daemon has gone.
final class BusyClient: Sendable {
    private struct State {
        var served = 0
        var tokens: Set<String> = []
        var faults: [String] = []
        var isStopped = false
        /// The count of answers that somebody waits for.
        var awaited: Int?
    }

    private let path: String
    private let params: JSONObject
    private let state = Mutex(State())
    private let answers = EventLog<Int>()

    init(path: String, account: String, fresh: Bool = false) {
        self.path = path
        params = fresh ? ["account": .string(account), "fresh": true] : ["account": .string(account)]
    }

    /// Answers with a token so far.
    var served: Int { state.withLock { $0.served } }
    /// Every access token that it got.
    var tokens: Set<String> { state.withLock { $0.tokens } }
    /// Refusals that a reconnect does not explain.
    var faults: [String] { state.withLock { $0.faults } }
    private var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Ends it after the answer that it waits for.
    func stop() { state.withLock { $0.isStopped = true } }

    /// Waits until it has had so many answers.
    func awaitServed(_ count: Int) async throws {
        let isThere = state.withLock { state in
            state.awaited = count
            return state.served >= count
        }
        guard !isThere else { return }
        _ = try await answers.next("answer \(count) of a client", within: .seconds(60)) { $0 == count }
    }

    /// Asks until it is stopped.
    func run() async throws {
        while !isStopped {
            guard let client = try? SocketClient(path: path) else {
                try await Task.sleep(for: .milliseconds(20))
                continue
            }
            await ask(client)
        }
    }

    /// Asks until the daemon hangs up or refuses. A refusal is a fault, unless the daemon says by `cancelled` that it
    /// is stopping.
    private func ask(_ client: SocketClient) async {
        while !isStopped, let reply = try? await client.call("token.get", params) {
            guard let token = reply["result"]?.object?["access_token"]?.string else {
                let refusal = DaemonRefusal(reply)
                if refusal.kind != "cancelled" { state.withLock { $0.faults.append(refusal.description) } }
                return
            }
            let (count, isAwaited) = state.withLock { state in
                state.tokens.insert(token)
                state.served += 1
                return (state.served, state.served == state.awaited)
            }
            if isAwaited { answers.append(count) }
            // So that dozens of them leave the machine a processor for the daemon.
            try? await Task.sleep(for: .milliseconds(10))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd
import TokendProtocol

/// The clients that wait for a login's start, or for its end.
@LoopActor final class LoginWaiters {
    typealias Starter = @LoopActor (Result<Login.Start, ProtocolError>) -> Void
    typealias Waiter = @LoopActor (Result<LoginResult, ProtocolError>) -> Void

    /// How many requests for its start or its end there were.
    private(set) var interest = 0
    private var starters: [Starter] = []
    private var waiters: [Int: Waiter] = [:]

    /// Counts a request for its start or its end.
    ///
    /// - Returns: its number.
    func ask() -> Int {
        interest += 1
        return interest
    }

    func add(starter: @escaping Starter) {
        starters.append(starter)
    }

    func add(_ waiter: @escaping Waiter, as number: Int) {
        waiters[number] = waiter
    }

    /// - Returns: whether that one was still waiting.
    func remove(_ number: Int) -> Bool {
        waiters.removeValue(forKey: number) != nil
    }

    /// Removes and returns those who wait for the start.
    func takeStarters() -> [Starter] {
        defer { starters = [] }
        return starters
    }

    /// Removes and returns those who wait for the end, in the order of their requests.
    func takeWaiters() -> [Waiter] {
        defer { waiters = [:] }
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd
import TokendProtocol

/// Who waits for a login: for its start, or for its end.
@LoopActor final class LoginWaiters {
    typealias Starter = @LoopActor (Result<Login.Start, ProtocolError>) -> Void
    typealias Waiter = @LoopActor (Result<LoginResult, ProtocolError>) -> Void

    /// How often somebody has asked for its start or its end.
    private(set) var interest = 0
    private var starters: [Starter] = []
    private var waiters: [Int: Waiter] = [:]

    /// Somebody asks for its start or its end.
    ///
    /// - Returns: which one they are.
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

    /// - Returns: whether that one had not been told yet.
    func remove(_ number: Int) -> Bool {
        waiters.removeValue(forKey: number) != nil
    }

    /// Those who wait for the start, none of whom waits any more then.
    func takeStarters() -> [Starter] {
        defer { starters = [] }
        return starters
    }

    /// Those who wait for the end, in the order in which they came; none of them waits any more then.
    func takeWaiters() -> [Waiter] {
        defer { waiters = [:] }
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }
}

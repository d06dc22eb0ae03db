// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Systemd
import TokendProtocol

/// The requests that wait for a token of one account, and their limits.
///
/// A variant is queued as long as a request waits for it, and no longer: there is no other queue. If there are too
/// many, the process with the most requests loses its newest, so that one program cannot displace the others.
@LoopActor package final class TokenWaiters {
    /// A client that waits, or the daemon itself.
    @LoopActor struct Waiter {
        let demand: TokenDemand
        /// Its process; nil: the daemon.
        let client: Int32?
        let answer: @LoopActor (Result<Account.Served, ProtocolError>) -> Void
        /// Its identity.
        fileprivate(set) var id = 0
    }

    /// All are answered in the same turn of the loop; a user's machine does not run so many programs.
    package nonisolated static let most = 4096
    /// Each costs a request to the provider: as many as an account caches.
    package nonisolated static let mostCombinations = VariantCache.capacity

    private var waiting: [Int: Waiter] = [:]
    private var nextID = 0
    private var clients: [Int32?: Int] = [:]
    /// The variants that are waited for, and by how many requests.
    private var combinations: [(variant: TokenVariant, count: Int)] = []

    var count: Int { waiting.count }

    /// The IDs of all waiters: those for the account's own token first, then the longest first. Other variants can
    /// delay the account's own token only by the refresh under way.
    var order: [Int] {
        waiting.values.sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }.map(\.id)
    }

    subscript(_ id: Int) -> Waiter? { waiting[id] }

    /// Adds a waiter.
    ///
    /// - Returns: its ID, and those that must give way, possibly itself.
    func add(_ waiter: Waiter) -> (id: Int, crowdedOut: [Waiter]) {
        var waiter = waiter
        waiter.id = nextID
        nextID += 1
        waiting[waiter.id] = waiter
        clients[waiter.client, default: 0] += 1
        if let variant = waiter.demand.variant {
            if let index = combinations.firstIndex(where: { $0.variant == variant }) {
                combinations[index].count += 1
            } else {
                combinations.append((variant, 1))
            }
        }
        var crowdedOut: [Waiter] = []
        while let id = excess(after: waiter), let last = remove(id) { crowdedOut.append(last) }
        return (waiter.id, crowdedOut)
    }

    /// Answers and removes one waiter.
    func answer(_ id: Int, _ result: Result<Account.Served, ProtocolError>) {
        remove(id)?.answer(result)
    }

    /// Answers all of them.
    func answerAll(_ result: Result<Account.Served, ProtocolError>) {
        let all = order.compactMap { waiting[$0] }
        waiting = [:]
        clients = [:]
        combinations = []
        for waiter in all { waiter.answer(result) }
    }

    /// Removes one without an answer.
    func remove(_ id: Int) -> Waiter? {
        guard let waiter = waiting.removeValue(forKey: id) else { return nil }
        let left = (clients[waiter.client] ?? 1) - 1
        clients[waiter.client] = left > 0 ? left : nil
        if let variant = waiter.demand.variant,
            let index = combinations.firstIndex(where: { $0.variant == variant })
        {
            combinations[index].count -= 1
            if combinations[index].count == 0 { combinations.remove(at: index) }
        }
        return waiter
    }

    /// The waiter over the limit, if there is one: the newest of the process that has most. The daemon's own stay.
    private func excess(after newest: Waiter) -> Int? {
        let hasTooManyCombinations = combinations.count > Self.mostCombinations
        guard waiting.count > Self.most || hasTooManyCombinations else { return nil }
        // Usually that is the newest waiter, which saves the search.
        let most = clients.filter { $0.key != nil }.map(\.value).max() ?? 0
        let isCandidate = waiting[newest.id] != nil && (newest.demand.variant != nil || !hasTooManyCombinations)
        if isCandidate, newest.client != nil, clients[newest.client] == most { return newest.id }
        return waiting.values
            .filter { $0.client != nil && ($0.demand.variant != nil || !hasTooManyCombinations) }
            .max { (clients[$0.client] ?? 0, $0.id) < (clients[$1.client] ?? 0, $1.id) }?.id
    }
}

extension TokenWaiters.Waiter {
    init(
        _ demand: TokenDemand,
        client: Int32?,
        answer: @escaping @LoopActor (Result<Account.Served, ProtocolError>) -> Void
    ) {
        self.demand = demand
        self.client = client
        self.answer = answer
    }

    fileprivate var rank: Int { demand.variant == nil ? 0 : 1 }
}

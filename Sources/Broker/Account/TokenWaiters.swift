// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Systemd
import TokendProtocol

/// Who waits for a token of one account, and how much of that there may be.
///
/// A combination is queued as long as somebody waits for it, and no longer: there is no other queue. Where it gets too
/// much, the process that waits most often loses its newest wait, so that one program's many do not end another's.
@LoopActor package final class TokenWaiters {
    /// A client that waits, or the daemon itself.
    @LoopActor struct Waiter {
        let demand: TokenDemand
        /// Its process; nil: the daemon.
        let client: Int32?
        let answer: @LoopActor (Result<Account.Served, ProtocolError>) -> Void
        /// Which one it is.
        fileprivate(set) var id = 0
    }

    /// Each is answered in the same turn of the loop, and a person's machine does not run so many programs.
    package nonisolated static let most = 4096
    /// Each costs a request to the provider: as many as an account remembers afterwards.
    package nonisolated static let mostCombinations = VariantCache.capacity

    private var waiting: [Int: Waiter] = [:]
    private var nextID = 0
    private var clients: [Int32?: Int] = [:]
    /// The combinations that are waited for, and by how many.
    private var combinations: [(variant: TokenVariant, count: Int)] = []

    var count: Int { waiting.count }

    /// The numbers of all waits: those for the account's own token first, then the longest first. So nobody's other
    /// combinations hold the account's own token up for longer than the one that is under way.
    var order: [Int] {
        waiting.values.sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }.map(\.id)
    }

    subscript(_ id: Int) -> Waiter? { waiting[id] }

    /// Takes one in.
    ///
    /// - Returns: its number, and who has to go for it; that may be itself.
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

    /// Answers one, who is not waited for any more then.
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

    /// Lets go of one without an answer.
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

    /// The wait that is too much, if one is: the newest of the process that has most. The daemon's own stay.
    private func excess(after newest: Waiter) -> Int? {
        let hasTooManyCombinations = combinations.count > Self.mostCombinations
        guard waiting.count > Self.most || hasTooManyCombinations else { return nil }
        // Mostly that is whoever has just come, and then nobody needs to look through all.
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

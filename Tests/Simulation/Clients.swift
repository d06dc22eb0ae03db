// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import OAuth
import Secrets
import Systemd
import TokendProtocol

/// Programs that ask for tokens.
@LoopActor struct Clients {
    unowned let world: World

    /// Some of them ask at the same moment, for this and for that.
    func ask(_ dice: inout Dice, count: Int) {
        let account = dice.pick(world.accountList)
        for _ in 0..<count {
            let other = dice.chance(20) ? dice.pick(world.accountList) : account
            ask(demand(&dice, other), of: other, leavesAfter: dice.chance(10) ? dice.span(0...(.seconds(5))) : nil)
        }
    }

    private func demand(_ dice: inout Dice, _ account: World.Account) -> TokenDemand {
        switch dice.below(20) {
        case 0: TokenDemand(minValid: Int64(dice.below(4000)))
        case 1: TokenDemand(fresh: true)
        case 2, 3: TokenDemand(variant: TokenVariant(audience: "https://api\(dice.below(3)).example"))
        case 4: TokenDemand(variant: TokenVariant(scope: account.provider.isOpenID ? ["openid", "mail"] : ["mail"]))
        case 5: TokenDemand(scope: ["mail"])
        default: TokenDemand()
        }
    }

    /// One asks, and may leave before there is an answer.
    func ask(
        _ demand: TokenDemand,
        of account: World.Account,
        leavesAfter patience: Span? = nil,
        _ then: @escaping @LoopActor (Result<Account.Served, ProtocolError>) -> Void = { _ in }
    ) {
        guard let daemon = world.daemon, let asked = try? daemon.broker?.account(named: account.name) else { return }
        var isAnswered = false
        let take: @LoopActor (Result<Account.Served, ProtocolError>) -> Void = { [world] answer in
            isAnswered = true
            guard !daemon.isOver else { return }
            judge(answer, demand, account, daemon)
            if world.daemon === daemon { then(answer) }
        }
        if let answer = asked.token(demand) { return take(answer) }
        let wait = asked.whenAnswered(demand, client: 1, take)
        if let patience {
            world.agenda.after(patience) { [world] in
                guard !isAnswered, !daemon.isOver else { return }
                world.trace.note("a client leaves")
                asked.stopWaiting(wait)
            }
        } else {
            world.agenda.after(Self.patience) { lookAgain() }
        }
        func lookAgain() {
            guard !isAnswered, !daemon.isOver else { return }
            // Nobody waits while the machine sleeps.
            let awake = world.agenda.now - world.agenda.wokeAt
            guard awake >= Self.patience else { return _ = world.agenda.after(Self.patience - awake, lookAgain) }
            world.rules.isAnswered(account)
        }
    }

    private static let patience: Span = .minutes(10)

    private func judge(
        _ answer: Result<Account.Served, ProtocolError>,
        _ demand: TokenDemand,
        _ account: World.Account,
        _ daemon: Daemon
    ) {
        switch answer {
        case .success(let served):
            world.trace.note("a client is served", served.token.accessToken.reveal())
            world.rules.serving(served, demand, to: account, by: daemon)
        case .failure(let error):
            world.trace.note("a client is told why not", "\(account.name) \(error.kind.rawValue): \(error.message)")
        }
    }
}

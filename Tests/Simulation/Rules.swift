// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import HTTPTypes
import OAuth
import Secrets
import Systemd
import TokendProtocol

/// What must hold at every step, whatever happens: each rule is one function, with its sentence.
@LoopActor final class Rules {
    /// A rule that was broken.
    struct Breach: Equatable {
        var rule: String
        var details: String
    }

    /// The first one; a run ends with it.
    private(set) var breach: Breach?
    private unowned let world: World
    /// When each account's refresh token was sent, in the last hour.
    private var sends: [String: [Span]] = [:]
    /// When the store refused, in the last minute.
    private var refusals: [Span] = []

    init(_ world: World) {
        self.world = world
    }

    func fail(_ rule: String, _ details: @autoclosure () -> String) {
        guard breach == nil else { return }
        breach = Breach(rule: rule, details: details())
        world.trace.note("a rule is broken", "\(rule) \(details())")
    }

    private func check(_ holds: Bool, _ rule: String, _ details: @autoclosure () -> String) {
        if !holds { fail(rule, details()) }
    }

    // MARK: A refresh token is sent

    func sending(_ form: FormParameters, to provider: Provider, by daemon: Daemon) {
        guard form["grant_type"] == "refresh_token", let name = form["refresh_token"],
            let token = world.book.refreshToken(name), let account = world.accounts[token.grant.account]
        else { return }
        world.trace.note("a refresh token is sent", name)
        account.usedGrant = token.grant.number
        isNotSucceeded(token, daemon)
        isStored(token, account)
        isMarked(token, account)
        isAlone(account, daemon)
        isLeftAlone(provider, daemon)
        isWithinBudget(account)
        isNotSignedOut(token.grant, account)
    }

    private func isNotSucceeded(_ token: Book.RefreshToken, _ daemon: Daemon) {
        let arrival = token.successor?.arrival
        check(
            arrival?.daemon != daemon.number || token.spentAt == nil,
            "No refresh token is sent whose successor has arrived.",
            token.name
        )
    }

    private func isStored(_ token: Book.RefreshToken, _ account: World.Account) {
        guard !wasDisturbed(account, within: .minutes(10)) else { return }
        check(
            world.disk.grant(of: account.name)?.refreshToken == token.name,
            "No refresh token is sent but the one that the store has.",
            "\(token.name), and the store has \(world.disk.grant(of: account.name)?.refreshToken ?? "none")"
        )
    }

    private func isMarked(_ token: Book.RefreshToken, _ account: World.Account) {
        guard account.provider.rotation != .none, !wasDisturbed(account, within: .minutes(10)) else { return }
        check(
            world.disk.grant(of: account.name)?.isMarked == true,
            "A refresh token that may be replaced is marked in the store before it is sent.",
            token.name
        )
    }

    private func isAlone(_ account: World.Account, _ daemon: Daemon) {
        check(
            daemon.underWay[account.name, default: 0] == 0,
            "A grant has one refresh under way at most.",
            account.name
        )
    }

    private func isLeftAlone(_ provider: Provider, _ daemon: Daemon) {
        guard let (number, until) = provider.leftAlone, number == daemon.number else { return }
        check(
            world.agenda.now >= until,
            "Nobody is asked before Retry-After.",
            "\(provider.host), \((until - world.agenda.now) / .seconds(1)) s before"
        )
    }

    private func isWithinBudget(_ account: World.Account) {
        let now = world.agenda.now
        var recent = sends[account.name, default: []]
        recent.removeAll { $0 < now - .hours(1) }
        recent.append(now)
        sends[account.name] = recent
        check(recent.count <= 150, "No provider is asked for a grant more than 150 times an hour.", account.name)
    }

    private func wasDisturbed(_ account: World.Account, within span: Span) -> Bool {
        account.disturbedAt.map { world.agenda.now - $0 <= span } ?? false
    }

    // MARK: A token is served

    func serving(_ served: Account.Served, _ demand: TokenDemand, to account: World.Account, by daemon: Daemon) {
        let name = served.token.accessToken.reveal()
        guard let token = world.book.accessToken(name) else {
            return fail("Nothing is served but what a provider has issued.", name)
        }
        check(token.grant.account == account.name, "Nobody gets another account's token.", name)
        isNotSignedOut(token.grant, account)
        isNotWider(token, demand)
        isNotOver(token, daemon)
        isNotKeptForEver(token, account, daemon)
        isDurable(token)
    }

    private func isNotSignedOut(_ grant: Book.Grant, _ account: World.Account) {
        // A store that comes back with what was removed brings it back: another program, or the power, has done so.
        let isBroughtBack = account.disturbedAt.map { $0 >= account.signedOutAt } ?? false
        check(
            grant.number > account.signedOutUpTo || isBroughtBack,
            "What was signed out stays signed out.",
            "\(account.name), grant \(grant.number)"
        )
    }

    private func isNotWider(_ token: Book.AccessToken, _ demand: TokenDemand) {
        let scope = demand.variant?.scope ?? Scope(token.grant.scope)
        check(
            Scope(token.scope) == scope && token.audience == demand.variant?.audience,
            "Nobody gets a token for another scope or audience than was asked for.",
            "\(token.name) for “\(token.scope)” and “\(token.audience ?? "")”"
        )
    }

    private func isNotOver(_ token: Book.AccessToken, _ daemon: Daemon) {
        guard let life = token.life, !isMisled(daemon, token) else { return }
        check(
            world.agenda.now < token.issuedAt + life,
            "No token is served that is over.",
            "\(token.name), \((world.agenda.now - token.issuedAt - life) / .seconds(1)) s after its end"
        )
    }

    /// A daemon that has started since knows the token's age by the wall clock alone.
    private func isMisled(_ daemon: Daemon, _ token: Book.AccessToken) -> Bool {
        daemon.startedAt > token.issuedAt && world.wallSteppedAt.map { $0 > token.issuedAt } ?? false
    }

    private func isNotKeptForEver(_ token: Book.AccessToken, _ account: World.Account, _ daemon: Daemon) {
        guard token.life == nil, account.endedGrant == token.grant.number, !isMisled(daemon, token) else { return }
        check(
            world.agenda.now - token.issuedAt <= .hours(1),
            "After the end of a grant no token whose life nobody knows is served for more than an hour.",
            token.name
        )
    }

    private func isDurable(_ token: Book.AccessToken) {
        check(
            token.companion.wasStored,
            "No access token is served before the refresh token that came with it is durable.",
            token.name
        )
    }

    // MARK: A login ends

    /// A provider refuses a refresh token that it has replaced.
    func refusing(_ token: Book.RefreshToken, by provider: Provider) {
        guard let spentAt = token.spentAt, let successor = token.successor,
            let account = world.accounts[token.grant.account]
        else { return }
        world.trace.note("a login is lost", token.name)
        let isDisturbed = account.disturbedAt.map { $0 >= spentAt - .minutes(10) } ?? false
        guard !isDisturbed else { return }
        let rule = "A login is lost only where the answer did not arrive, or its daemon died before the store had it."
        check(!successor.wasStored, rule, "\(successor.name) was stored")
        guard let arrival = successor.arrival else { return wasNotTriedInTime(account, provider, spentAt) }
        guard let death = world.deaths[arrival.daemon] else { return fail(rule, "\(successor.name) has arrived") }
        let wasWell = death.wellSince.map { $0 <= arrival.at } ?? false
        check(!wasWell || death.at - arrival.at < .seconds(10), rule, "\(successor.name) arrived long before the end")
    }

    private func wasNotTriedInTime(_ account: World.Account, _ provider: Provider, _ spentAt: Span) {
        guard provider.rotation == .graced, account.file == .asItWas, !world.notes.paused.contains(account.name),
            let wellSince = world.wellSince, let daemon = world.daemon
        else { return }
        let slack: Span = .seconds(20)
        check(
            max(wellSince, daemon.startedAt) > spentAt + slack,
            "A token that may be spent is tried within the provider's grace.",
            account.name
        )
    }

    /// The daemon says that a grant has ended.
    func ended(_ account: String, _ reason: EndReason, by daemon: Daemon) {
        if let account = world.accounts[account], reason != .refused { account.endedGrant = account.usedGrant }
        guard let item = world.disk.grant(of: account), let name = item.refreshToken,
            let token = world.book.refreshToken(name), reason != .refused
        else { return }
        check(
            !token.grant.isAlive || token.spentAt != nil || wasDisturbedEver(account),
            "No grant is given up that its provider still honours.",
            "\(name), \(reason)"
        )
    }

    private func wasDisturbedEver(_ account: String) -> Bool { world.accounts[account]?.disturbedAt != nil }

    // MARK: Waiting and healing

    /// Somebody has waited for so long, with the machine awake.
    func isAnswered(_ account: World.Account) {
        fail("Who asks is answered within ten minutes.", account.name)
    }

    /// Everything has been well for a while.
    func isHealed(_ account: World.Account, _ answer: Result<Account.Served, ProtocolError>) {
        let stored = world.disk.grant(of: account.name)?.refreshToken.flatMap { world.book.refreshToken($0) }
        let isRemoved = world.notes.removals.contains(account.name)
        switch answer {
        case .success: break
        case .failure(let error):
            guard let stored, stored.grant.isAlive, stored.spentAt == nil, !isRemoved else { return }
            check(
                stored.grant.number <= account.signedOutUpTo,
                "What can heal has healed soon after the trouble ends.",
                "\(account.name): \(error.message)"
            )
        }
    }

    /// A user has signed in while everything was well.
    func isSignedIn(_ account: World.Account, _ result: Result<LoginResult, ProtocolError>) {
        guard case .failure(let error) = result else { return }
        fail("A sign-in comes to its end where nothing is wrong.", "\(account.name): \(error.message)")
    }

    // MARK: The store

    /// The store refuses a call.
    func storeRefuses() {
        let now = world.agenda.now
        refusals.removeAll { $0 < now - .minutes(1) }
        refusals.append(now)
        check(refusals.count <= 60, "A store that refuses is not asked in a loop.", "\(refusals.count) times a minute")
    }

    // MARK: After every step

    func afterStep() {
        check(world.agenda.count < 5000, "What is kept has a bound.", "\(world.agenda.count) things are to happen")
    }
}

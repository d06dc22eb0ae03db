// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

@testable import Broker

/// One grant's machine and a clock of plain values: no loop, no store, no network.
struct GrantStand {
    /// What a client got.
    enum Seen: Equatable {
        case held(String)
        case renewed(String)
        case wait
        case fail(ErrorKind)
    }

    var machine: GrantStateMachine
    var now = HandClock.start
    let account: AccountConfiguration
    /// The last error that a client got.
    private(set) var lastError: ProtocolError?
    /// What the machine asked the shell to do in the last event.
    private(set) var actions: [GrantStateMachine.Action] = []

    /// A grant fresh from a login, with the token `A1`.
    init(
        life: Int64 = 3600,
        age: Int64 = 0,
        isRenewable: Bool = true,
        _ change: (inout RefreshSettings) -> Void = { _ in }
    ) throws {
        account = try AccountConfiguration.plain().refreshing(change)
        machine = GrantStateMachine(account: "work", settings: account.refresh)
        var record = GrantRecord.signedIn(account, at: now, expiresIn: life, age: age)
        if !isRenewable { record.refreshToken = nil }
        _ = machine.signedIn(record, at: now, random: 0)
    }

    /// Seconds go by on both clocks.
    mutating func pass(_ seconds: Int64) {
        now.wall += seconds
        now.boot = now.boot.advanced(by: .seconds(seconds))
    }

    /// A client asks.
    mutating func ask(_ demand: TokenDemand = TokenDemand()) -> Seen {
        let (answer, actions) = machine.demand(demand, at: now)
        return seen(answer, actions)
    }

    /// What a client that waited is told.
    mutating func settle(
        _ demand: TokenDemand = TokenDemand(),
        renewed: Bool,
        of variant: TokenVariant? = nil
    ) -> Seen {
        let (answer, actions) = machine.resume(demand, renewed: renewed, of: variant, at: now)
        return seen(answer, actions)
    }

    private mutating func seen(_ answer: GrantStateMachine.Answer, _ actions: [GrantStateMachine.Action]) -> Seen {
        self.actions = actions
        switch answer {
        case .serve(let token, let refreshed):
            let text = token.accessToken.reveal()
            return refreshed ? .renewed(text) : .held(text)
        case .wait:
            return .wait
        case .fail(let error):
            lastError = error
            return .fail(error.kind)
        }
    }

    /// The refresh that is under way ends with this outcome.
    mutating func finish(_ outcome: RefreshOutcome, random: Double = 0) {
        actions = machine.refreshFinished(outcome, at: now, random: random)
    }

    /// The refresh that is under way brings a token.
    mutating func renew(_ access: String, life: Int64 = 3600) {
        finish(.renewed(record(access, life: life), isStored: true))
    }

    /// The refresh for a combination that is under way brings its token, and perhaps a new refresh token.
    mutating func derive(
        _ access: String,
        for variant: TokenVariant,
        refresh: String? = nil,
        life: Int64 = 3600,
        scope: Scope? = nil
    ) {
        guard var record = machine.record else { return }
        if let refresh { record = record.replacing(Secret(refresh)) }
        finish(.derived(derived(access, for: variant, life: life, scope: scope), record, isStored: true))
    }

    /// A token of a combination, fresh from the provider.
    func derived(
        _ access: String,
        for variant: TokenVariant,
        life: Int64 = 3600,
        scope: Scope? = nil
    ) -> DerivedToken {
        let token = HeldToken(
            accessToken: Secret(access),
            tokenType: "Bearer",
            scope: scope ?? variant.scope ?? account.scopes,
            issuedAt: now.wall,
            lifetime: .seconds(life),
            obtainedAtBoot: now.boot
        )
        return DerivedToken(token, for: variant)
    }

    /// The refresh for a combination that is under way is refused for that combination alone.
    mutating func refuse(_ code: String = "invalid_target") {
        let body = OAuthErrorBody(error: code, status: 400)
        finish(.failed(RefreshFailure(.misconfigured(body), at: account), nil))
    }

    /// The refresh that is under way fails in passing.
    mutating func fail(_ kind: RefreshFailure.Class = .passing, random: Double = 0) {
        finish(.failed(Self.failure(kind), nil), random: random)
    }

    /// The grant with another access token.
    func record(_ access: String, life: Int64 = 3600) -> GrantRecord {
        GrantRecord.signedIn(account, at: now, access: access, expiresIn: life)
    }

    /// The machine's timer goes off now.
    mutating func timer(random: Double = 0) -> [GrantStateMachine.Action] {
        machine.deadlineReached(at: now, random: random)
    }

    /// Seconds until the machine does something by itself; nil: never.
    var due: Double? {
        machine.deadline.map { now.boot.duration(to: $0) / .seconds(1) }
    }

    /// A failure of that class, with the error that goes with it.
    static func failure(_ kind: RefreshFailure.Class) -> RefreshFailure {
        let isPassing = kind != .misconfigured && kind != .unknown && kind != .refused
        let error = ProtocolError(isPassing ? .providerUnreachable : .providerError, "idp.example: no")
        var failure = RefreshFailure(kind: kind, error: error)
        if kind == .unknown || kind == .refused {
            failure.refusal = .init(code: "quota_exceeded", status: 400, words: "quota_exceeded")
        }
        return failure
    }
}

extension TokenDemand {
    static func rejected(_ token: String) -> TokenDemand { TokenDemand(rejected: Secret(token)) }
    static var fresh: TokenDemand { TokenDemand(fresh: true) }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
import TokendProtocol

extension Account {
    /// The word that `status` has for this account.
    var statusState: AccountState {
        guard configuration != nil else { return .misconfigured }
        if case .live(let grant) = machine.state, grant.record.refusal == nil || login == nil {
            return statusState(of: grant)
        }
        if login != nil { return .loginPending }
        switch machine.state {
        case .unknown: return .unknown
        case .blocked(let error): return error.code == .locked ? .storeLocked : .unknown
        case .signedOut: return .signedOut
        case .ended, .live: return .loginRequired
        }
    }

    private func statusState(of grant: LiveGrant) -> AccountState {
        let holds = grant.holds(ports.clock.now)
        if machine.isHeldBack || (!grant.record.canRenew && !holds) || grant.record.refusal != nil {
            return .loginRequired
        }
        if grant.storeError?.code == .locked, !holds { return .storeLocked }
        if grant.isRefreshing { return .refreshing }
        let lacksClient = client.missing != nil || grant.failure?.error.kind == .configInvalid
        if lacksClient, !holds { return .misconfigured }
        if grant.failure != nil || grant.debt != nil || (grant.storeError != nil && !holds) { return .retrying }
        return .ready
    }

    /// Why a login is needed.
    var endReason: EndReason? {
        switch machine.state {
        case .ended(let ended): ended.end.reason
        case .live where machine.isHeldBack: .configChanged
        case .live(let grant) where grant.record.refusal != nil: .refused
        case .live(let grant) where !grant.record.canRenew && !grant.holds(ports.clock.now): .ended
        case .signedOut: .signedOut
        default: nil
        }
    }

    /// What `status` says of this account; reads memory alone.
    var status: AccountStatus {
        let now = ports.clock.now
        let record = machine.record
        let state = statusState
        var status = AccountStatus(
            account: name,
            issuer: configuration?.issuerName ?? record?.destination.issuer ?? "",
            clientID: shownClientID,
            state: state
        )
        if state == .loginRequired || state == .loginPending {
            status.reason = endReason.map { LoginReason(rawValue: $0.rawValue) }
        }
        let configured = configuration?.flow.loginFlow ?? .browser
        status.flow = configured == .clientCredentials ? configured : record?.flow ?? configured
        status.scope = record?.scope.text
        status.subject = record?.subject.map { DisplayText.sanitized($0) }
        status.identity = record?.identity
        status.renewable = record?.renewable
        status.expiresAt = heldToken?.expiresAt
        status.refreshAt = nextRefresh.map { now.wall(of: $0) }
        status.refreshedAt = record?.refreshedAt
        status.grantExpiresAt = record?.grantExpiresAt
        status.grantEnding = endWatch.isEnding ? true : nil
        status.paused = machine.isPaused ? true : nil
        status.login = login.map { .init(loginID: $0.id, expiresAt: $0.expiresAt) }
        status.fault = fault(at: now)
        return status
    }

    /// The file's, or the one that was registered; empty before there is one.
    private var shownClientID: String {
        if let configuration, !configuration.registersClient { return configuration.clientID }
        return machine.record?.destination.clientID ?? client.registeredID ?? ""
    }

    private var heldToken: HeldToken? {
        switch machine.state {
        case .live(let grant): grant.record.token
        case .ended(let ended): ended.token()
        default: nil
        }
    }

    private func fault(at now: Moment) -> AccountStatus.Fault? {
        if let fault = faults.first {
            return .init(kind: .configInvalid, message: fault.description, at: now.wall)
        }
        if let missing = client.missing {
            return .init(kind: missing.kind, message: missing.message, at: now.wall)
        }
        switch machine.state {
        case .blocked(let error):
            return error.fault(at: now.wall)
        case .live(let grant):
            if let error = grant.storeError ?? grant.debt?.error {
                return error.fault(at: grant.failedAt ?? now.wall)
            }
            if let end = grant.record.refusal { return end.fault }
            guard let failure = grant.failure else { return nil }
            return .init(
                kind: failure.error.kind,
                message: failure.error.message,
                at: grant.failedAt ?? now.wall,
                retryAt: failure.kind == .misconfigured ? nil : now.wall(of: grant.notBefore)
            )
        case .ended(let ended):
            return ended.end.fault
        case .unknown, .signedOut:
            return nil
        }
    }
}

extension LiveGrant {
    func holds(_ now: Moment) -> Bool { record.token?.holds(0, at: now) ?? false }
}

extension GrantRecord.Ended {
    /// What the provider said, if anything.
    fileprivate var fault: AccountStatus.Fault? {
        (message ?? oauthError).map { .init(kind: .loginRequired, message: "the provider said: \($0)", at: at) }
    }
}

extension StoreError {
    fileprivate func fault(at time: Int64) -> AccountStatus.Fault {
        .init(kind: protocolError.kind, message: message, at: time)
    }
}

extension Moment {
    /// The unix time of an instant of the boot-time clock, as far as the wall clock goes on as it does.
    func wall(of instant: BootInstant) -> Int64 {
        wall.addingSaturated(boot.duration(to: instant).components.seconds)
    }
}

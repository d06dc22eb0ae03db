// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
package import TokendProtocol

extension Account {
    /// The account's state in `status`.
    var statusState: AccountState {
        guard configuration != nil else { return .misconfigured }
        let grant = self.grant.snapshot
        if let record = grant.record, record.refusal == nil || login == nil { return statusState(of: grant, record) }
        if login != nil { return .loginPending }
        switch grant.phase {
        case .unknown: return .unknown
        case .blocked(let error): return error.code == .locked ? .storeLocked : .unknown
        case .signedOut: return .signedOut
        case .ended, .live: return .loginRequired
        }
    }

    private func statusState(of grant: GrantSnapshot, _ record: GrantRecord) -> AccountState {
        let holds = grant.holdsToken(at: ports.clock.now)
        if grant.isHeldBack || (!record.canRenew && !holds) || record.refusal != nil { return .loginRequired }
        if grant.storeError?.code == .locked, !holds { return .storeLocked }
        if grant.isRefreshing { return .refreshing }
        let lacksClient = client.missing != nil || grant.failure?.error.kind == .configInvalid
        if lacksClient, !holds { return .misconfigured }
        if grant.failure != nil || grant.pendingWriteError != nil || (grant.storeError != nil && !holds) {
            return .retrying
        }
        return .ready
    }

    /// Why a login is needed.
    private func endReason(_ grant: GrantSnapshot, at now: Moment) -> EndReason? {
        switch grant.phase {
        case .unknown, .blocked: return nil
        case .signedOut: return .signedOut
        case .ended(let end): return end.reason
        case .live:
            if grant.isHeldBack { return .configChanged }
            if grant.record?.refusal != nil { return .refused }
            return grant.record?.canRenew == false && !grant.holdsToken(at: now) ? .ended : nil
        }
    }

    /// The account's entry in `status`; reads memory alone.
    package var status: AccountStatus {
        let now = ports.clock.now
        let grant = self.grant.snapshot
        let record = grant.record
        let state = statusState
        var status = AccountStatus(
            account: name,
            issuer: configuration?.issuerName ?? record?.destination.issuer ?? "",
            clientID: shownClientID,
            state: state
        )
        if state == .loginRequired || state == .loginPending {
            status.reason = endReason(grant, at: now).map { LoginReason(rawValue: $0.rawValue) }
        }
        let configured = configuration?.flow ?? .browser
        status.flow = (configured.hasUser ? record?.flow : nil) ?? configured.loginFlow
        status.scope = record?.scope.text
        status.subject = record?.subject.map { DisplayText.sanitized($0) }
        status.identity = record?.identity
        status.renewable = record?.renewable
        status.expiresAt = grant.token?.expiresAt
        status.refreshAt = self.grant.nextRefresh.map { now.wall(of: $0) }
        status.refreshedAt = record?.refreshedAt
        status.grantExpiresAt = record?.grantExpiresAt
        status.grantEnding = endWatch.isEnding ? true : nil
        status.paused = grant.isPaused ? true : nil
        status.login = login.map { .init(loginID: $0.id, expiresAt: $0.expiresAt) }
        status.fault = fault(grant, at: now)
        return status
    }

    /// The file's client ID, or the registered one; empty before there is one.
    private var shownClientID: String {
        if let configuration, !configuration.registersClient { return configuration.clientID }
        return grant.record?.destination.clientID ?? client.registeredID ?? ""
    }

    private func fault(_ grant: GrantSnapshot, at now: Moment) -> AccountStatus.Fault? {
        if let fault = faults.first {
            return .init(kind: .configInvalid, message: fault.description, at: now.wall)
        }
        if let missing = client.missing {
            return .init(kind: missing.kind, message: missing.message, at: now.wall)
        }
        switch grant.phase {
        case .blocked(let error): return error.fault(at: now.wall)
        case .live: return liveFault(grant, at: now)
        case .ended(let end): return end.fault
        case .unknown, .signedOut: return nil
        }
    }

    private func liveFault(_ grant: GrantSnapshot, at now: Moment) -> AccountStatus.Fault? {
        let failedAt = grant.failedAt ?? now.wall
        let nextTry = self.grant.nextTry.map { now.wall(of: $0) }
        if let error = grant.storeError ?? grant.pendingWriteError {
            var fault = error.fault(at: failedAt)
            fault.retryAt = nextTry
            return fault
        }
        if let end = grant.record?.refusal { return end.fault }
        guard let failure = grant.failure else { return nil }
        return .init(
            kind: failure.error.kind,
            message: failure.error.message,
            at: failedAt,
            retryAt: nextTry
        )
    }
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
    /// The unix time of a boot-time instant, provided that the wall clock does not step.
    func wall(of instant: BootInstant) -> Int64 {
        wall.addingSaturated(boot.duration(to: instant).components.seconds)
    }
}

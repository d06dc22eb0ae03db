// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
package import Systemd
package import TokendProtocol

/// A notable event: for the journal, and for clients that subscribed.
package enum BrokerEvent: Sendable {
    case tokenRefreshed(account: String, expiresAt: Int64?)
    case refreshFailed(account: String, ProtocolError)
    /// A token of another variant was obtained.
    case tokenDerived(account: String, TokenVariant)
    /// The provider refuses this variant.
    case tokenRefused(account: String, ProtocolError)
    /// A renewal's ID token failed a check that is not essential for security: its access token is served, and the
    /// previous ID token is kept.
    case idTokenDropped(account: String, reason: String)
    case grantEnded(account: String, reason: EndReason, oauthError: String?)
    /// The user should sign in again before the grant's fixed end, in unix seconds.
    case grantEnding(account: String, at: Int64)
    case storeFault(account: String?, StoreError)
    /// The store returned an older item than it had accepted last; the newer one was written again.
    case storeRolledBack(account: String)
    /// The store answers, for the first time or again.
    case storeOpened
    case loginStarted(account: String, loginID: String)
    case loginFinished(account: String, loginID: String, error: ProtocolError?)
    case loggedOut(account: String, revocationFault: String?)
    case configurationRead(accounts: Int, faults: [ConfigurationFault])
    /// Tokens left the daemon.
    case tokenServed(account: String, client: UnixSocket.Credentials, application: String?, count: Int)
    /// Policy refused a client.
    case refused(Refused)
    /// A user is asked.
    case confirmWanted(ConfirmQuestion)
    /// The question is over: the user's answer, or nil if there was none.
    case confirmEnded(ConfirmQuestion, isAllowed: Bool?)
    /// No notification could be shown.
    case notificationFault(String)
    /// A program of another user connected to the port of a sign-in, and got nothing; nil if its user is unknown.
    case strangerRefused(uid: UInt32?)
    /// No browser could be opened.
    case browserFault(BrowserError)
    /// An internal fault.
    case internalFault(String)

    /// The event as sent to subscribers; nil if it is only logged.
    ///
    /// - Parameter now: unix seconds.
    package func message(at now: Int64) -> EventMessage? {
        guard let (type, account, details) = told else { return nil }
        return EventMessage(type, account: account, at: now, details: details.encoded())
    }

    private var told: (EventType, account: String?, EventDetails)? {
        var details = EventDetails()
        switch self {
        case .tokenRefreshed(let account, let expiresAt):
            details.expiresAt = expiresAt
            return (.tokenRefreshed, account, details)
        case .refreshFailed(let account, let error):
            details.kind = error.kind
            details.retryAt = ErrorDetails(tolerating: error.data).retryAt
            return (.refreshFailed, account, details)
        case .grantEnded(let account, let reason, _):
            details.reason = reason.rawValue
            return (.loginRequired, account, details)
        case .grantEnding(let account, let end):
            details.grantExpiresAt = end
            return (.grantEnding, account, details)
        case .storeFault(let account, let error):
            guard error.code == .locked else { return nil }
            return (.storeLocked, account, details)
        case .storeOpened: return (.storeUnlocked, nil, details)
        case .loginStarted(let account, let loginID):
            details.loginID = loginID
            return (.loginStarted, account, details)
        case .loginFinished(let account, let loginID, let error):
            details.loginID = loginID
            details.kind = error?.kind
            return (.loginFinished, account, details)
        case .loggedOut(let account, _): return (.loggedOut, account, details)
        case .configurationRead: return (.configReloaded, nil, details)
        case .confirmWanted(let question): return (.confirmWanted, question.account, question.details)
        case .confirmEnded(let question, let isAllowed):
            details.id = question.id
            details.outcome = isAllowed.map { $0 ? "allowed" : "denied" } ?? "unanswered"
            return (.confirmEnded, question.account, details)
        case .tokenDerived, .tokenRefused, .idTokenDropped, .tokenServed, .refused, .strangerRefused, .storeRolledBack,
            .notificationFault, .browserFault, .internalFault:
            return nil
        }
    }
}

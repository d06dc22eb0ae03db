// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Every method of version 1, those included that this daemon does not serve yet (`hello` tells which it does).
package enum Method: String, Sendable, CaseIterable {
    // The look-up of a name goes through the cases in this order: what is called most stands first.
    case tokenGet = "token.get"
    case status = "status"
    case hello = "hello"
    case tokenExchange = "token.exchange"
    case tokenProof = "token.proof"
    case loginStart = "login.start"
    case loginWait = "login.wait"
    case loginCheck = "login.check"
    case loginComplete = "login.complete"
    case loginCancel = "login.cancel"
    case logout = "logout"
    case storeUnlock = "store.unlock"
    case accountList = "account.list"
    case accountShow = "account.show"
    case accountAdd = "account.add"
    case accountSecret = "account.secret"
    case accountImport = "account.import"
    case accountRefresh = "account.refresh"
    case accountPause = "account.pause"
    case accountResume = "account.resume"
    case accountRemove = "account.remove"
    case providerList = "provider.list"
    case providerFetch = "provider.fetch"
    case configReload = "config.reload"
    case doctor = "doctor"
    case policyList = "policy.list"
    case policyRevoke = "policy.revoke"
    case confirmAnswer = "confirm.answer"
    case eventsSubscribe = "events.subscribe"

    /// Whether a client may send it once more where the answer was lost: it does no harm to carry it out twice.
    package var mayRepeat: Bool {
        switch self {
        case .accountAdd, .accountImport, .accountRemove, .accountSecret, .tokenExchange, .eventsSubscribe: false
        default: true
        }
    }
}

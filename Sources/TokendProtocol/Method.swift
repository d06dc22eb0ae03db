// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Every method of version 1, including those that this daemon does not serve yet (`hello` lists the served ones).
package enum Method: String, Sendable, CaseIterable {
    // Look-ups compare the cases in this order: the most frequent one is first.
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

    /// Whether a client may send it again if the answer was lost: the method is idempotent.
    package var mayRepeat: Bool {
        switch self {
        case .accountAdd, .accountImport, .accountRemove, .accountSecret, .tokenExchange, .eventsSubscribe: false
        default: true
        }
    }
}

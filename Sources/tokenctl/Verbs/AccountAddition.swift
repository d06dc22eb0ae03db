// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

/// Sends an account's draft to the daemon, with its client secret where there is one.
struct AccountAddition {
    private let conversation: Conversation

    init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    /// The daemon's answer.
    @discardableResult
    func add(_ draft: AccountDraft, replacing: Bool) throws(TokenctlError) -> JSONObject {
        var params = AccountAdd.Parameters(account: draft.account, config: draft.config)
        if replacing { params.replace = true }
        if let file = draft.clientSecretFile {
            params.clientSecret = try SecretInput(conversation.console, "the client secret").read(file)
        }
        return try conversation.askOpeningStore(AccountAdd.self, params, account: draft.account)
    }
}

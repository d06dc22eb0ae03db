// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets
import Systemd
import TokendProtocol

extension Account {
    /// Keeps what a user gives for the account's client, in the secret store and nowhere else.
    ///
    /// - Throws: what is wrong with it, or the store's error; nothing is kept then.
    func giveSecret(_ kind: ClientSecretKind, _ value: Secret) async throws(ProtocolError) {
        let configuration = try usable()
        try ClientSecretCheck.check(kind, value, for: configuration, member: "value")
        try await vault.give(kind, value, to: configuration)
        hasClientItem = true
        clientChanged()
    }

    /// What a provider or the missing secret refused before is tried again.
    func clientChanged() {
        machine.reconfigured(settings: machine.settings, isHeldBack: !isAllowed(machine.record))
        arm()
        onChange?()
    }

    /// The first read of all items brought the client's, or none; its secret is not looked at.
    func firstRead(client item: StoredItem?) {
        hasClientItem = item != nil
        registeredClientID = item?.clientID
    }

    /// What the client's authentication lacks in the secret store, as far as known; nil if nothing.
    var missingClient: ProtocolError? {
        guard let configuration, !configuration.registersClient, hasClientItem == false else { return nil }
        switch configuration.clientAuthentication {
        case .none: return nil
        case .clientSecretBasic, .clientSecretPost:
            return ClientFault.missing(.clientSecret, configuration, isElsewhere: false).protocolError
        case .privateKeyJWT:
            return ClientFault.missing(.clientKey, configuration, isElsewhere: false).protocolError
        }
    }

    /// Removes what the client authenticates with, together with the account.
    func forgetClient(_ result: inout LogoutResult) async {
        hasClientItem = false
        // Until the item is removed, it is not used.
        let fault = ports.state.change { $0.clientRemovals.insert(name) }
        do throws(StoreError) {
            try await vault.finishRemoval(name)
        } catch {
            result.pendRemoval(fault, error)
            ports.log.record(.storeFault(account: name, error))
        }
    }
}

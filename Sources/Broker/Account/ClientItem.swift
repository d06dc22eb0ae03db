// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets
import Systemd
import TokendProtocol

/// An account's OAuth client: its item in the secret store, and the facts about it that are not secret.
@LoopActor final class ClientItem {
    private let context: AccountContext
    /// Serialises changes of the item.
    private let mutex = AsyncMutex()
    /// Whether the secret store has the item; nil: not read yet.
    private var isPresent: Bool?
    /// The client that a provider has registered for the next sign-in.
    private(set) var registeredID: String?

    init(_ context: AccountContext) {
        self.context = context
    }

    /// Its item in the secret store.
    var credentials: ClientCredentialStore {
        ClientCredentialStore(
            store: context.ports.store,
            mutex: mutex,
            wire: context.daemon.wire,
            state: context.ports.state
        )
    }

    /// The account's provider, as this client reaches it.
    ///
    /// - Parameter destination: the destination of the grant in use; its client need not be in the account's file.
    func access(_ configuration: AccountConfiguration, for destination: GrantDestination? = nil) -> ProviderAccess {
        ProviderAccess(
            account: destination.map(configuration.asClient) ?? configuration,
            wire: context.wire,
            transport: context.ports.transport,
            clock: context.ports.clock,
            entropy: context.ports.entropy,
            directory: context.directory,
            credentials: credentials
        )
    }

    // MARK: What is known

    /// The first read of all items brought the client's item, or none; its secret is not read.
    func firstRead(_ item: StoredItem?) {
        isPresent = item != nil
        registeredID = item?.clientID
    }

    /// The store has an item now.
    func noteStored() {
        isPresent = true
    }

    /// A grant has come into force; its client may have been registered for it.
    func noteClient(of record: GrantRecord) {
        if record.destination.isRegistered { registeredID = record.destination.clientID }
    }

    /// What the secret store lacks for the client's authentication, as far as known; nil if nothing.
    var missing: ProtocolError? {
        guard let configuration = context.configuration, !configuration.registersClient, isPresent == false else {
            return nil
        }
        switch configuration.clientAuthentication {
        case .none: return nil
        case .clientSecretBasic, .clientSecretPost:
            return ClientFault.missing(.clientSecret, configuration, isElsewhere: false).protocolError
        case .privateKeyJWT:
            return ClientFault.missing(.clientKey, configuration, isElsewhere: false).protocolError
        }
    }

    // MARK: Changes

    /// Stores a secret of the client, in the secret store and nowhere else.
    ///
    /// - Throws: what is wrong with it, or the store's error; then nothing is stored.
    func give(_ kind: ClientSecretKind, _ value: Secret) async throws(ProtocolError) {
        let configuration = try context.usable()
        try ClientSecretCheck.check(kind, value, for: configuration, member: "value")
        try await credentials.give(kind, value, to: configuration)
        noteStored()
    }

    /// Removes what the client authenticates with, together with the account.
    func remove(_ result: inout LogoutResult) async {
        isPresent = false
        let ports = context.ports
        // Until the item is removed, it is not used.
        let fault = ports.state.change { $0.clientRemovals.insert(context.name) }
        do throws(StoreError) {
            try await credentials.finishRemoval(context.name)
        } catch {
            result.pendRemoval(fault, error)
            ports.log.record(.storeFault(account: context.name, error))
        }
    }
}

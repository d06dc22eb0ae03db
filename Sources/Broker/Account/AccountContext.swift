// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd
import TokendProtocol

/// State that the parts of one account share: its name, its ports, and the current contents of its file and
/// `config.json5`. `Account` changes it, and the parts read it anew for each use.
@LoopActor final class AccountContext {
    let name: String
    let ports: BrokerPorts
    let directory: ProviderDirectory
    /// The daemon's own settings.
    private(set) var daemon: DaemonConfiguration
    /// nil while the account's file has faults, or is gone.
    private(set) var configuration: AccountConfiguration?
    /// The last configuration without a fault; records are written with its names while the file has a fault.
    private(set) var lastConfiguration: AccountConfiguration?
    private(set) var faults: [ConfigurationFault] = []

    init(name: String, ports: BrokerPorts, directory: ProviderDirectory, daemon: DaemonConfiguration) {
        self.name = name
        self.ports = ports
        self.directory = directory
        self.daemon = daemon
    }

    /// Takes over the files as they are now.
    ///
    /// - Returns: whether a sign-in that is under way could now reach another destination than it was begun for.
    func configure(_ new: Configuration.Account, daemon: DaemonConfiguration) -> Bool {
        let hasMoved = self.daemon.wire != daemon.wire
        self.daemon = daemon
        switch new {
        case .misconfigured(let faults):
            configuration = nil
            self.faults = faults
            return true
        case .usable(let new):
            let hasChanged = configuration != new || hasMoved
            configuration = new
            lastConfiguration = new
            faults = []
            return hasChanged
        }
    }

    /// The account's file is gone.
    func retire() {
        configuration = nil
        faults = []
    }

    // MARK: Contents of the files

    /// The account as its file describes it.
    ///
    /// - Throws: the file's fault, or that it is gone.
    func usable() throws(ProtocolError) -> AccountConfiguration {
        guard let configuration else { throw unusable }
        return configuration
    }

    /// The fault that disables this account; nil if there is none.
    var fault: ProtocolError? { faults.first?.protocolError }

    /// Why the account cannot be used while it has no configuration.
    var unusable: ProtocolError { fault ?? gone }

    /// The error for uses of an account whose file is gone.
    var gone: ProtocolError {
        ProtocolError(.accountUnknown, "the account “\(name)” was removed")
    }

    var wire: WireSettings { daemon.wire.settings(of: configuration) }

    /// Whether the current settings allow the grant to be sent where they would send it.
    func isAllowed(_ record: GrantRecord?) -> Bool {
        guard let record, let configuration else { return true }
        return record.destination.allows(configuration, wire: daemon.wire)
            && record.source.isOfUser == configuration.tokenSource.isOfUser
    }

    /// The record in force for the account under its current file, given the store's.
    func inForce(_ stored: GrantRecord?) -> GrantRecord? {
        guard let configuration else { return stored }
        let source = configuration.tokenSource
        guard !source.isOfUser else { return stored?.source.isOfUser == false ? nil : stored }
        // A user's grant is held back, not discarded: the old flow may come back.
        if let stored, stored.source.isOfUser, !stored.isOver { return stored }
        if let stored, stored.source == source, isAllowed(stored) { return stored }
        return .withoutUser(configuration, wire: daemon.wire, at: ports.clock.now.wall)
    }

    /// Writes a grant's record into the account's item, with the names of the last good file.
    func write(_ record: GrantRecord) async -> Result<Void, StoreError> {
        guard let configuration = configuration ?? lastConfiguration else {
            // Without a configuration there was no grant to store.
            return .failure(StoreError(code: .unavailable, message: "the file of “\(name)” was never in order"))
        }
        do {
            try await ports.store.write(record.item(for: configuration))
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    // MARK: The account's policy

    /// The last policy that was read without a fault: a faulty file does not open the account.
    var policy: AccountPolicy { (configuration ?? lastConfiguration)?.policy ?? AccountPolicy() }

    /// Whether the policy is known: it is not if the file has had a fault since the daemon's start.
    var hasPolicy: Bool { configuration != nil || lastConfiguration != nil }

    /// Whether every program may have a token without the user's consent.
    var isOpenToAll: Bool { policy.isOpen(under: daemon.administrator) }

    /// The account's file.
    var file: String { lastConfiguration?.file ?? ports.files.path(of: name) }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON
import TokendProtocol

extension Broker {
    /// Checks an account's file as a whole, writes it, and takes it over.
    ///
    /// - Returns: the file's path.
    /// - Throws: `config_invalid` with the first fault; then nothing is written.
    func writeAccount(_ name: String, config: JSONObject) throws(ProtocolError) -> String {
        let source = source(name, config)
        _ = try checked(name, source)
        return try write(name, source)
    }

    /// The same with a client secret, which is stored before the file is written.
    func writeAccount(
        _ name: String,
        config: JSONObject,
        clientSecret: Secret
    ) async throws(ProtocolError) -> String {
        let source = source(name, config)
        let new = try checked(name, source)
        try ClientSecretCheck.check(.clientSecret, clientSecret, for: new, member: "client_secret")
        try await credentials(of: name).give(.clientSecret, clientSecret, to: new)
        let file = try write(name, source)
        accounts[name]?.client.noteStored()
        accounts[name]?.clientChanged()
        return file
    }

    /// The provider that an `account.add` would send an existing grant to, if it is another than the grant was made
    /// for; nil if there is no grant, or if the settings have a fault, which is reported otherwise.
    func newProvider(_ addition: AccountAdd.Parameters) -> String? {
        let name = addition.account
        guard addition.replace == true, let record = accounts[name]?.grant.record,
            let new = try? checked(name, source(name, addition.config)),
            !record.destination.allows(new, wire: configuration.daemon.wire)
        else { return nil }
        return new.issuerHost
    }

    /// The client's item of an account that is there, or may be soon.
    func credentials(of name: String) -> ClientCredentialStore {
        accounts[name]?.client.credentials
            ?? ClientCredentialStore(
                store: ports.store,
                mutex: AsyncMutex(),
                wire: configuration.daemon.wire,
                state: ports.state
            )
    }

    private func source(_ name: String, _ config: JSONObject) -> ConfigurationSource {
        let text = JSONWriter.pretty(.object(config)) + "\n"
        return ConfigurationSource(file: ports.files.path(of: name), bytes: Array(text.utf8))
    }

    private func checked(_ name: String, _ source: ConfigurationSource) throws(ProtocolError) -> AccountConfiguration {
        do {
            return try AccountConfiguration.read(
                name: name,
                source: source,
                presets: configuration.presets,
                digestOfFile: ports.files.digest(ofFile:)
            )
        } catch {
            throw error.list[0].protocolError
        }
    }

    private func write(_ name: String, _ source: ConfigurationSource) throws(ProtocolError) -> String {
        do throws(AccountFileError) {
            try ports.files.write(source.bytes, account: name)
        } catch {
            throw ProtocolError(.internalError, error.message)
        }
        reload()
        return source.file
    }

    /// Only a user's own file can be removed; an administrator's would come back.
    func checkRemovable(_ name: String) throws(ProtocolError) {
        guard let source = configuration.sources[name], source.file != ports.files.path(of: name) else { return }
        throw ProtocolError(
            .configInvalid,
            "“\(name)” is set up by the administrator in \(source.file); to sign out: tokenctl logout \(name)",
            data: ["file": .string(source.file)]
        )
    }

    /// Removes an account's file, the account, and the user's decisions about it: a new account of that name starts
    /// afresh.
    func removeAccount(_ name: String) throws(ProtocolError) {
        do throws(AccountFileError) {
            try ports.files.remove(account: name)
        } catch {
            throw ProtocolError(.internalError, error.message)
        }
        let fault = ports.state.change { notes in
            notes.paused.remove(name)
            notes.decisions.removeAll { $0.account == name }
        }
        reload()
        if let fault {
            throw ProtocolError(
                .internalError,
                "“\(name)” is removed; after a restart your answers for its programs are there again: \(fault.message)"
            )
        }
    }
}

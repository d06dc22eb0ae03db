// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
package import TokendProtocol

/// The whole configuration, as read at one moment.
package struct Configuration: Sendable {
    /// One account: usable, or with the faults that disable it alone.
    package enum Account: Sendable {
        case usable(AccountConfiguration)
        case misconfigured([ConfigurationFault])
    }

    /// The files of one moment, as an adapter found them.
    package struct Files: Sendable, Equatable {
        /// The folder that `status` names and that a user edits.
        package var folder: String
        /// `config.json5` of each layer, the administrator's first.
        package var daemon: [ConfigurationSource]
        /// `policy.json5`, which only the administrator has.
        package var policy: ConfigurationSource?
        /// `accounts/NAME.json5` by name, the highest layer's.
        package var accounts: [String: ConfigurationSource]
        /// `providers/NAME.json5` by name, the highest layer's.
        package var presets: [String: ConfigurationSource] = [:]
        /// `providers/NAME.json5` by name, where the highest layer's is there and cannot be read.
        package var presetFaults: [String: ConfigurationFault] = [:]
        /// `config.json5` of a layer that is there and cannot be read.
        package var daemonFaults: [ConfigurationFault] = []
        /// `accounts/NAME.json5` by name, where the highest layer's is there and cannot be read.
        package var accountFaults: [String: ConfigurationFault] = [:]
        /// Folders that are there and cannot be listed, and files of which an earlier reading is kept.
        package var folderFaults: [ConfigurationFault] = []
        /// A file could not be read because descriptors or memory are short, or because a disk failed: it is read
        /// again.
        package var isIncomplete = false

        package init(
            folder: String,
            daemon: [ConfigurationSource] = [],
            accounts: [String: ConfigurationSource] = [:]
        ) {
            self.folder = folder
            self.daemon = daemon
            self.accounts = accounts
        }
    }

    package var folder: String
    package var daemon: DaemonConfiguration
    /// Faults of `config.json5` itself; the settings are then the last good ones.
    package var daemonFaults: [ConfigurationFault]
    /// Faults that disable nothing: folders and files that were skipped, a default account that does not exist.
    package var furtherFaults: [ConfigurationFault]
    /// Why further sockets are not open; set by the code that opens them.
    package internal(set) var socketFaults: [ConfigurationFault] = []
    package var accounts: [String: Account]
    /// The presets for accounts.
    package var presets: ProviderPresets
    /// The accounts' files as read.
    package var sources: [String: ConfigurationSource] { files.accounts }
    /// Everything that was read.
    package var files: Files

    /// - Parameters:
    ///   - previous: the settings in force, kept where `config.json5` has a fault.
    ///   - digestOfFile: see `AccountConfiguration.read`.
    package init(
        files: Files,
        previous: DaemonConfiguration = DaemonConfiguration(),
        digestOfFile: (String) -> String?
    ) {
        folder = files.folder
        daemonFaults = files.daemonFaults
        furtherFaults = files.folderFaults
        do throws(ConfigurationFaults) {
            guard files.daemonFaults.isEmpty else { throw ConfigurationFaults([]) }
            daemon = DaemonConfiguration()
            for layer in files.daemon { daemon = try daemon.reading(layer, digestOfFile: digestOfFile) }
            if let policy = files.policy { daemon.administrator = try AdministratorPolicy.read(policy) }
            if !daemon.administrator.allowsSockets { daemon.sockets = try files.administratorsSockets(digestOfFile) }
        } catch {
            daemon = previous
            daemonFaults += error.list
        }
        accounts = [:]
        self.files = files
        presets = ProviderPresets(files: files.presets, unreadable: files.presetFaults)
        for (name, source) in files.accounts where AccountName.isValid(name) {
            do throws(ConfigurationFaults) {
                accounts[name] = .usable(
                    try .read(name: name, source: source, presets: presets, digestOfFile: digestOfFile)
                )
            } catch {
                accounts[name] = .misconfigured(error.list)
            }
        }
        for (name, fault) in files.accountFaults where AccountName.isValid(name) {
            accounts[name] = .misconfigured([fault])
        }
        furtherFaults += faultsOfNames + faultOfDefaultAccount + presets.faults(besides: namedPresets)
    }

    /// The presets that accounts use.
    private var namedPresets: Set<String> {
        Set(files.accounts.values.compactMap { (try? $0.object())?["provider"]?.string })
    }

    /// Files whose names are not valid account names.
    private var faultsOfNames: [ConfigurationFault] {
        let sources = files.accounts.map { (name: $0.key, file: $0.value.file) }
        let unreadable = files.accountFaults.map { (name: $0.key, file: $0.value.file) }
        return (sources + unreadable).filter { !AccountName.isValid($0.name) }
            .map { ConfigurationFault(file: $0.file, message: AccountName.fault(of: $0.name)) }
            .sorted { $0.file < $1.file }
    }

    /// `default_account` without a file for it; the fault is in the highest layer that sets it.
    private var faultOfDefaultAccount: [ConfigurationFault] {
        guard daemonFaults.isEmpty, let name = daemon.defaultAccount, accounts[name] == nil else { return [] }
        let member = "default_account"
        for source in files.daemon.reversed() {
            guard let object = try? source.object() else { continue }
            var reader = MemberReader(object, source: source)
            guard reader.has(member) else { continue }
            let hint = ClosedWords.hint(for: name, among: accounts.keys.sorted())
            reader.fault(member, "there is no account “\(name)”" + hint)
            return reader.faults
        }
        return []
    }

    /// Every fault, the daemon's first, then the accounts' by name.
    package var faults: [ConfigurationFault] {
        daemonFaults + furtherFaults + socketFaults
            + accounts.sorted { $0.key < $1.key }.flatMap { entry -> [ConfigurationFault] in
                guard case .misconfigured(let faults) = entry.value else { return [] }
                return faults
            }
    }
}

extension Configuration.Files {
    /// The administrator's sockets, where a user may define none.
    fileprivate func administratorsSockets(
        _ digestOfFile: (String) -> String?
    ) throws(ConfigurationFaults) -> [NarrowSocket] {
        let own = folder + "/config.json5"
        var settings = DaemonConfiguration()
        for layer in daemon where layer.file != own {
            settings = try settings.reading(layer, digestOfFile: digestOfFile)
        }
        guard let layer = daemon.first(where: { $0.file == own }) else { return settings.sockets }
        var reader = MemberReader(try layer.object(), source: layer)
        guard reader.value("sockets")?.object?.isEmpty == false else { return settings.sockets }
        reader.fault("sockets", "the administrator allows no further sockets (/etc/tokend/policy.json5)")
        throw ConfigurationFaults(reader.faults)
    }
}

extension Configuration {
    /// Keeps the store that the daemon was started with, since grants do not move: a changed setting is a fault until
    /// the next start.
    package mutating func hold(toStoreOf started: DaemonConfiguration) {
        guard daemonFaults.isEmpty, !daemon.hasStore(of: started) else { return }
        daemonFaults.append(faultOfStore("takes effect when tokend is restarted", mend: .restart))
        (daemon.store, daemon.storeFile) = (started.store, started.storeFile)
    }

    /// The store in the settings could not be opened, which is a fault of the settings.
    package mutating func refuseStore(_ message: String) {
        daemonFaults.append(faultOfStore(message))
    }

    private func faultOfStore(_ message: String, mend: ConfigurationFault.Mend? = nil) -> ConfigurationFault {
        let source = files.daemon.last { (try? $0.object())?.member("store") != nil }
        let offset = (try? source?.object())?.member("store")?.nameRange.lowerBound
        return ConfigurationFault(
            file: source?.file ?? folder + "/config.json5",
            line: offset.flatMap { source?.line(at: $0) },
            member: "store",
            message: message,
            mend: mend
        )
    }
}

extension DaemonConfiguration {
    /// Whether grants are stored in the same place under both.
    fileprivate func hasStore(of other: DaemonConfiguration) -> Bool {
        switch (store, other.store) {
        case (.file, .file): storeFile == other.storeFile
        case (.memory, .memory), (.auto, .auto), (.secretService, .secretService), (.auto, .secretService),
            (.secretService, .auto):
            true
        default: false
        }
    }
}

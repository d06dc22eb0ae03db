// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import TokendProtocol

/// All that the daemon was told to do, as read at one moment.
package struct Configuration: Sendable {
    /// One account: usable, or with the faults that disable it alone.
    package enum Account: Sendable {
        case usable(AccountConfiguration)
        case misconfigured([ConfigurationFault])
    }

    /// The files of one moment, as an adapter found them.
    package struct Files: Sendable {
        /// The folder that `status` names and that a person edits.
        package var folder: String
        /// `config.json5` of each layer, the administrator's first.
        package var daemon: [ConfigurationSource]
        /// `accounts/NAME.json5` by name, the highest layer's.
        package var accounts: [String: ConfigurationSource]
        /// Files and folders that are there and could not be read.
        package var faults: [ConfigurationFault]

        package init(
            folder: String,
            daemon: [ConfigurationSource] = [],
            accounts: [String: ConfigurationSource] = [:],
            faults: [ConfigurationFault] = []
        ) {
            self.folder = folder
            self.daemon = daemon
            self.accounts = accounts
            self.faults = faults
        }
    }

    package var folder: String
    package var daemon: DaemonConfiguration
    /// What is wrong with `config.json5` itself; the settings are then the last good ones.
    package var daemonFaults: [ConfigurationFault]
    package var accounts: [String: Account]

    /// - Parameters:
    ///   - previous: the settings in force, kept where `config.json5` has a fault.
    ///   - digestOfFile: see `AccountConfiguration.read`.
    package init(
        files: Files,
        previous: DaemonConfiguration = DaemonConfiguration(),
        digestOfFile: (String) -> String?
    ) {
        folder = files.folder
        daemonFaults = files.faults
        do throws(ConfigurationFaults) {
            daemon = DaemonConfiguration()
            for layer in files.daemon { daemon = try daemon.reading(layer, digestOfFile: digestOfFile) }
        } catch {
            daemon = previous
            daemonFaults += error.list
        }
        accounts = [:]
        for (name, source) in files.accounts {
            do throws(ConfigurationFaults) {
                accounts[name] = .usable(
                    try AccountConfiguration.read(name: name, source: source, digestOfFile: digestOfFile)
                )
            } catch {
                accounts[name] = .misconfigured(error.list)
            }
        }
    }

    /// Every fault, the daemon's first, then the accounts' by name.
    package var faults: [ConfigurationFault] {
        daemonFaults
            + accounts.sorted { $0.key < $1.key }.flatMap { entry -> [ConfigurationFault] in
                guard case .misconfigured(let faults) = entry.value else { return [] }
                return faults
            }
    }
}

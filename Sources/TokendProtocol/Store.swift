// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members
package import Secrets

/// `store.unlock`: opens the secret store.
package enum StoreUnlock: MethodCall {
    package static let method = Method.storeUnlock

    /// How.
    package struct Parameters: MethodParameters {
        /// The file store's passphrase; the Secret Service prompts the user itself.
        package var passphrase: Secret?
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// Unlocks with a passphrase, or by the store's own prompt.
        package init(passphrase: Secret?) {
            self.passphrase = passphrase
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .optional("passphrase", \.passphrase),
            .optional("timeout", \.timeout, as: .seconds),
        ]
    }

    /// The store's state now.
    package struct Result: MethodResult {
        /// The state.
        package var state = StoreState.unknown

        /// A state.
        package init(state: StoreState) {
            self.state = state
        }

        package init() {}

        package static let members: [Member<Self>] = [.required("state", \.state)]
    }
}

/// `config.reload`: reloads the configuration.
package enum ConfigReload: MethodCall {
    package static let method = Method.configReload

    package typealias Parameters = NoParameters

    /// The configuration's state now.
    package struct Result: MethodResult {
        /// Whether it is in force.
        package var state = ""
        /// Its faults.
        package var faults: [ConfigurationFault] = []

        /// A configuration that was read.
        package init(state: String, faults: [ConfigurationFault] = []) {
            self.state = state
            self.faults = faults
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("state", \.state),
            .required("faults", \.faults),
        ]
    }
}

/// `events.subscribe`: events on this connection from now on.
package enum EventsSubscribe: MethodCall {
    package static let method = Method.eventsSubscribe
    package typealias Result = NoResult

    /// How the client uses them.
    package struct Parameters: MethodParameters {
        /// Whether the client shows `confirm_wanted` to a user, and answers.
        package var confirms: Bool?

        /// A client that listens, or also answers.
        package init(confirms: Bool?) {
            self.confirms = confirms
        }

        package init() {}

        package static let members: [Member<Self>] = [.optional("confirms", \.confirms)]
    }
}

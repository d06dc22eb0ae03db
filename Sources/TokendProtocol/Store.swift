// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets
package import StrictJSON

/// `store.unlock`: opens the secret store.
package enum StoreUnlock: MethodCall {
    package static let method = Method.storeUnlock

    /// How.
    package struct Parameters: MethodParameters {
        package static let names = ["passphrase", "timeout"]

        /// The file store's passphrase; the Secret Service asks the user itself.
        package var passphrase: Secret?
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// Unlocks with a passphrase, or by the store's own prompt.
        package init(passphrase: Secret? = nil) {
            self.passphrase = passphrase
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            passphrase = try reader.secret("passphrase")
            timeout = try reader.seconds("timeout")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = [:]
            object.set("passphrase", passphrase)
            object.set("timeout", timeout)
            return object
        }
    }

    /// How the store is now.
    package struct Result: MethodResult {
        /// The state.
        package var state: StoreState

        /// A state.
        package init(state: StoreState) {
            self.state = state
        }

        package init(json: JSONObject) throws(ProtocolError) {
            let reader = MemberReader(result: json)
            state = StoreState(rawValue: try reader.required(reader.string("state"), "state"))
        }

        package func encoded() -> JSONObject {
            ["state": .string(state.rawValue)]
        }
    }
}

/// `config.reload`: reads the configuration anew.
package enum ConfigReload: MethodCall {
    package static let method = Method.configReload

    package typealias Parameters = NoParameters

    /// How the configuration is now.
    package struct Result: MethodResult {
        /// Whether it is in force.
        package var state: String
        /// What is wrong with it.
        package var faults: [ConfigurationFault]

        /// A configuration that was read.
        package init(state: String, faults: [ConfigurationFault] = []) {
            self.state = state
            self.faults = faults
        }

        package init(json: JSONObject) throws(ProtocolError) {
            let reader = MemberReader(result: json)
            state = try reader.required(reader.string("state"), "state")
            faults = try ConfigurationFault.list(reader.required(reader.objects("faults"), "faults"))
        }

        package func encoded() -> JSONObject {
            ["state": .string(state), "faults": .array(faults.map { .object($0.encoded()) })]
        }
    }
}

/// `events.subscribe`: events on this connection from now on.
package enum EventsSubscribe: MethodCall {
    package static let method = Method.eventsSubscribe
    package typealias Result = NoResult

    /// What the client does with them.
    package struct Parameters: MethodParameters {
        package static let names = ["confirms"]

        /// Whether the client puts `confirm_wanted` to a user, and answers.
        package var confirms: Bool?

        /// A client that listens, or also answers.
        package init(confirms: Bool? = nil) {
            self.confirms = confirms
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            confirms = try reader.flag("confirms")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = [:]
            object.set("confirms", confirms)
            return object
        }
    }
}

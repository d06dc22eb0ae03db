// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON
import TokendProtocol

/// A preset for one provider: settings that accounts build on, and what a user has to do there first.
///
/// It is data alone (`NAME.json5`); every special case is a setting that any account may have.
package struct ProviderPreset: Sendable {
    /// What a user must register at the provider before the first sign-in.
    package struct Registration: Sendable, Equatable {
        /// The registration page.
        package var url: String?
        /// The kind of client, in the provider's words.
        package var kind: String?
        /// The redirect URI to register, byte for byte; nil if none is needed.
        package var redirect: String?
    }

    /// Its name in accounts' files.
    package let name: String
    /// The provider's usual name.
    package let title: String
    /// Its purpose, in half a line.
    package let about: String
    package let registration: Registration
    /// Notes for the user before the first sign-in, a sentence each.
    package let notes: [String]
    /// Whether the provider registers clients dynamically, so that a user need not (RFC 7591).
    package let registersClients: Bool
    /// What a user must supply besides a registration, in the order of asking.
    package let asks: [PresetQuestion]
    /// What tools need there.
    package let tools: [PresetTool]
    /// The settings, with `{NAME}` for answers.
    package let account: JSONObject
    /// The preset's file.
    package let source: ConfigurationSource

    /// Reads a preset's file; account settings in it are checked when an account is made from them.
    ///
    /// - Throws: every fault that was found, at least one.
    package init(name: String, source: ConfigurationSource) throws(ConfigurationFaults) {
        var reader = MemberReader(try source.object(), source: source)
        if !AccountName.isValid(name) {
            reader.add([ConfigurationFault(file: source.file, message: AccountName.fault(of: name, as: "a preset's"))])
        }
        title = reader.string("title") ?? name
        about = reader.string("about") ?? ""
        notes = reader.strings("notes") ?? []
        registersClients = reader.bool("registers_clients") ?? false
        var registration = Registration()
        if var inner = reader.inner("register") {
            registration.url = inner.string("url")
            registration.kind = inner.string("as")
            registration.redirect = inner.string("redirect")
            inner.finish()
            reader.add(inner.faults)
        }
        asks = PresetQuestion.read(from: &reader)
        tools = PresetTool.read(from: &reader)
        let account = reader.inner("account")?.object
        if !reader.has("account") { reader.fault("account", "is missing: the settings that accounts get") }
        for member in ["provider", "set"] where account?[member] != nil {
            reader.fault("account", "cannot hold “\(member)”: a preset builds on no other one")
        }
        for place in account.map(PresetTemplate.places) ?? [] where !asks.contains(where: { $0.name == place }) {
            reader.fault("account", "holds {\(place)}, which is not among “asks”")
        }
        reader.finish()
        guard reader.faults.isEmpty else { throw ConfigurationFaults(reader.faults) }
        self.name = name
        self.registration = registration
        self.account = account ?? [:]
        self.source = source
    }
}

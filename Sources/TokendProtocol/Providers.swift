// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// `provider.list`: the presets that accounts can build on.
package enum ProviderList: MethodCall {
    package static let method = Method.providerList

    package typealias Parameters = NoParameters

    /// The presets.
    package struct Result: MethodResult {
        /// Sorted by name.
        package var providers: [PresetDescription]

        /// A list.
        package init(providers: [PresetDescription]) {
            self.providers = providers
        }

        package init(json: JSONObject) throws(ProtocolError) {
            let reader = MemberReader(result: json)
            providers = []
            for object in try reader.required(reader.objects("providers"), "providers") {
                providers.append(try PresetDescription(json: object))
            }
        }

        package func encoded() -> JSONObject {
            ["providers": .array(providers.map { .object($0.encoded()) })]
        }
    }
}

/// One preset, as a user needs it to make an account.
package struct PresetDescription: Sendable, Equatable {
    /// What a user supplies besides a registration.
    package struct Question: Sendable, Equatable {
        /// Its name in the account's `set`.
        package var name: String
        /// What it is, for a user.
        package var about: String
        /// What an answer is: `host` or `url`; nil for a word of letters, digits and `._-`.
        package var kind: String?
        /// An answer as it may look.
        package var example: String?
        /// What is taken where nothing is supplied; nil: it must be.
        package var standard: String?

        /// A question.
        package init(
            name: String,
            about: String,
            kind: String? = nil,
            example: String? = nil,
            standard: String? = nil
        ) {
            self.name = name
            self.about = about
            self.kind = kind
            self.example = example
            self.standard = standard
        }
    }

    /// What accounts name it by.
    package var provider: String
    /// What people call the provider.
    package var title: String
    /// What it is for.
    package var about: String
    /// Where an application is registered.
    package var registerURL: String?
    /// As what.
    package var registerAs: String?
    /// The redirect URI to register, byte for byte.
    package var redirect: String?
    /// What to know before, a sentence each.
    package var notes: [String]
    /// Whether the provider registers a client by itself, so that a user need not.
    package var registersClients = false
    /// What else must be supplied.
    package var asks: [Question]
    /// The settings that accounts get, with `{NAME}` where an answer goes.
    package var account: JSONObject
    /// Its file, where a user or an administrator wrote it.
    package var file: String?
    /// What is wrong with it; then it is of no use.
    package var fault: String?

    /// A preset without anything but its names.
    package init(provider: String, title: String, about: String = "", account: JSONObject = [:]) {
        self.provider = provider
        self.title = title
        self.about = about
        self.account = account
        notes = []
        asks = []
    }

    /// Reads one of a list.
    package init(json: JSONObject) throws(ProtocolError) {
        let reader = MemberReader(result: json)
        provider = try reader.required(reader.string("provider"), "provider")
        title = try reader.required(reader.string("title"), "title")
        about = try reader.string("about") ?? ""
        notes = try reader.strings("notes") ?? []
        account = try reader.object("account") ?? [:]
        file = try reader.string("file")
        fault = try reader.string("fault")
        registersClients = try reader.flag("registers_clients") ?? false
        if let register = try reader.object("register") {
            let inner = MemberReader(result: register)
            registerURL = try inner.string("url")
            registerAs = try inner.string("as")
            redirect = try inner.string("redirect")
        }
        asks = []
        for object in try reader.objects("asks") ?? [] {
            let inner = MemberReader(result: object)
            asks.append(
                Question(
                    name: try inner.required(inner.string("name"), "name"),
                    about: try inner.string("about") ?? "",
                    kind: try inner.string("kind"),
                    example: try inner.string("example"),
                    standard: try inner.string("default")
                )
            )
        }
    }

    /// One of a list.
    package func encoded() -> JSONObject {
        var object: JSONObject = [
            "provider": .string(provider), "title": .string(title), "about": .string(about),
            "account": .object(account),
        ]
        var register: JSONObject = [:]
        register.set("url", registerURL)
        register.set("as", registerAs)
        register.set("redirect", redirect)
        if !register.isEmpty { object["register"] = .object(register) }
        object.set("notes", notes.isEmpty ? nil : notes)
        if registersClients { object["registers_clients"] = true }
        if !asks.isEmpty { object["asks"] = .array(asks.map { .object($0.encoded()) }) }
        object.set("file", file)
        object.set("fault", fault)
        return object
    }
}

extension PresetDescription.Question {
    fileprivate func encoded() -> JSONObject {
        var object: JSONObject = ["name": .string(name), "about": .string(about)]
        object.set("kind", kind)
        object.set("example", example)
        object.set("default", standard)
        return object
    }
}

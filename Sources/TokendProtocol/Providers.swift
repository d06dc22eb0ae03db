// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members
package import StrictJSON

/// `provider.list`: the presets that accounts can build on.
package enum ProviderList: MethodCall {
    package static let method = Method.providerList

    package typealias Parameters = NoParameters

    /// The presets.
    package struct Result: MethodResult {
        /// Sorted by name.
        package var providers: [PresetDescription] = []

        /// A list.
        package init(providers: [PresetDescription]) {
            self.providers = providers
        }

        package init() {}

        package static let members: [Member<Self>] = [.required("providers", \.providers)]
    }
}

/// One preset, as a user needs it to make an account.
package struct PresetDescription: WireMessage {
    /// A value that a user supplies besides a registration.
    package struct Question: WireMessage {
        /// Its name in the account's `set`.
        package var name = ""
        /// What it is, for a user.
        package var about = ""
        /// The form of an answer: `host` or `url`; nil for a word of letters, digits and `._-`.
        package var kind: String?
        /// A sample answer.
        package var example: String?
        /// The default if nothing is supplied; nil: it must be supplied.
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

        package init() {}

        package static let members: [Member<Self>] = [
            .required("name", \.name),
            .defaulted("about", \.about),
            .optional("kind", \.kind),
            .optional("example", \.example),
            .optional("default", \.standard),
        ]
    }

    /// What one kind of tool needs at the provider.
    package struct Tool: WireMessage {
        /// `git`, `mail`, `calendar` or `kubernetes`.
        package var tool = ""
        /// The scopes that the account needs for it, besides those of `account`.
        package var scopes: [String] = []
        /// Whether it takes the ID token, and not the access token; nil where that is not known.
        package var takesIDToken: Bool?
        /// The SASL mechanisms that the mail servers have, the best one first.
        package var mechanisms: [String] = []
        /// The server for incoming mail.
        package var imap: String?
        /// The server for outgoing mail.
        package var smtp: String?
        /// What to know before, in one sentence.
        package var note: String?

        /// What that tool needs.
        package init(tool: String, scopes: [String] = []) {
            self.tool = tool
            self.scopes = scopes
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("tool", \.tool),
            .unlessDefault("scopes", \.scopes),
            .optional("id_token", \.takesIDToken),
            .unlessDefault("mechanisms", \.mechanisms),
            .optional("imap", \.imap),
            .optional("smtp", \.smtp),
            .optional("note", \.note),
        ]
    }

    /// Its name in accounts' files.
    package var provider = ""
    /// The provider's usual name.
    package var title = ""
    /// Its purpose.
    package var about = ""
    /// Where to register an application.
    package var registerURL: String?
    /// The kind of application.
    package var registerAs: String?
    /// The redirect URI to register, byte for byte.
    package var redirect: String?
    /// Notes to read before, a sentence each.
    package var notes: [String] = []
    /// Whether the provider registers clients dynamically, so that a user need not.
    package var registersClients = false
    /// Further values that must be supplied.
    package var asks: [Question] = []
    /// What tools need there.
    package var tools: [Tool] = []
    /// The settings for accounts, with `{NAME}` for answers.
    package var account: JSONObject = [:]
    /// Its file, if a user or an administrator wrote it.
    package var file: String?
    /// Its fault; then it is unusable.
    package var fault: String?

    /// A preset with only its names.
    package init(provider: String, title: String, about: String = "", account: JSONObject = [:]) {
        self.provider = provider
        self.title = title
        self.about = about
        self.account = account
    }

    package init() {}

    package static let members: [Member<Self>] = [
        .required("provider", \.provider),
        .required("title", \.title),
        .defaulted("about", \.about),
        .defaulted("account", \.account),
        .group(
            "register",
            isRequired: false,
            [
                .optional("url", \.registerURL), .optional("as", \.registerAs), .optional("redirect", \.redirect),
            ]
        ),
        .unlessDefault("notes", \.notes),
        .unlessDefault("registers_clients", \.registersClients),
        .unlessDefault("asks", \.asks),
        .unlessDefault("tools", \.tools),
        .optional("file", \.file),
        .optional("fault", \.fault),
    ]
}

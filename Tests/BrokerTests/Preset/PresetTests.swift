// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Testing
import TokendProtocol

@testable import Broker

/// An account above a preset, member for member, and the faults of both.
@Suite struct PresetTests {
    static let preset = """
        {
          title: "Example", about: "for tests",
          register: { url: "https://idp.example/apps", as: "a desktop app", redirect: "http://127.0.0.1/cb" },
          notes: ["Mind the step"],
          asks: {
            tenant: { about: "your tenant", example: "contoso", default: "common" },
            host: { about: "your host", kind: "host", example: "idp.example" },
          },
          account: {
            issuer: "https://{host}/{tenant}",
            scopes: ["openid", "email"], redirect_uri: "http://127.0.0.1/cb",
            authorization_parameters: { access_type: "offline", prompt: "consent" },
            endpoints: { revocation: "https://{host}/revoke" },
            refresh: { margin: 120, minimum_gap: 60 },
            dialect: { bearer_names: ["User"], scope_parameter: "user_scope", scope_separator: "comma" },
          },
        }
        """

    private static func presets(_ text: String = preset) -> ProviderPresets {
        ProviderPresets(files: ["example": ConfigurationSource(file: "/p/example.json5", bytes: Array(text.utf8))])
    }

    private static func read(
        _ text: String,
        _ presets: ProviderPresets = presets()
    ) throws(ConfigurationFaults) -> AccountConfiguration {
        let source = ConfigurationSource(file: "/a/work.json5", bytes: Array(text.utf8))
        return try AccountConfiguration.read(name: "work", source: source, presets: presets) { _ in nil }
    }

    private static func faults(_ text: String, _ presets: ProviderPresets = presets()) -> [String] {
        do throws(ConfigurationFaults) {
            _ = try read(text, presets)
            return []
        } catch {
            return error.list.map(\.description)
        }
    }

    @Test func `the preset gives what the account leaves open`() throws {
        let account = try Self.read(#"{ provider: "example", set: { host: "h.example" }, client_id: "c" }"#)
        #expect(account.issuer?.text == "https://h.example/common" && account.clientID == "c")
        #expect(account.scopes.text == "openid email" && account.redirects.map(\.url.text) == ["http://127.0.0.1/cb"])
        #expect(account.endpoints.revocation?.text == "https://h.example/revoke")
        #expect(account.authorizationParameters["prompt"] == "consent" && account.refresh.margin == 120)
        #expect(account.refresh.rules.minimumGap == 60 && account.dialect.bearerNames == ["User"])
        #expect(account.dialect.scopeParameter == "user_scope" && account.dialect.scopeSeparator == ",")
        #expect(account.file == "/a/work.json5")
    }

    @Test func `a preset's tools are read, and a wrong word among them is a fault`() throws {
        let text = """
            { account: {}, tools: { mail: { scopes: ["m"], mechanisms: ["xoauth2"], imap: "i.example" } } }
            """
        let source = ConfigurationSource(file: "/p/x.json5", bytes: Array(text.utf8))
        let preset = try ProviderPreset(name: "x", source: source)
        #expect(preset.tools.map(\.kind) == [.mail] && preset.tools[0].scopes == ["m"])
        #expect(preset.tools[0].imap == "i.example" && preset.tools[0].takesIDToken == nil)
        for (wrong, words) in [
            ("{ account: {}, tools: { emial: {} } }", "emial"),
            (#"{ account: {}, tools: { mail: { mechanisms: ["plain"] } } }"#, "has “plain”"),
        ] {
            let source = ConfigurationSource(file: "/p/x.json5", bytes: Array(wrong.utf8))
            let faults = try #require(throws: ConfigurationFaults.self) {
                try ProviderPreset(name: "x", source: source)
            }
            #expect(faults.list.contains { $0.description.contains(words) }, "\(faults.list)")
        }
    }

    @Test func `the account goes above it: objects member by member, all else as a whole, and null takes away`() throws
    {
        let account = try Self.read(
            """
            { provider: "example", set: { host: "h.example", tenant: "t" }, client_id: "c", scopes: ["mail"],
              redirect_uri: null, authorization_parameters: { prompt: null, hd: "x" }, refresh: { margin: 60 },
              dialect: null, endpoints: { token: "https://h.example/token" } }
            """
        )
        #expect(account.issuer?.text == "https://h.example/t" && account.scopes.text == "mail")
        #expect(account.redirects.isEmpty && account.refresh.margin == 60 && account.refresh.minimumGap == 60)
        #expect(account.authorizationParameters["access_type"] == "offline")
        #expect(account.authorizationParameters["prompt"] == nil && account.authorizationParameters["hd"] == "x")
        #expect(account.endpoints.revocation != nil && account.endpoints.token != nil)
        #expect(account.dialect == ProviderDialect())
    }

    @Test(arguments: [
        (#"provider: "exmple""#, #"/a/work.json5:1: provider: there is no such preset; did you mean “example”?"#),
        (
            #"provider: "nowhere-near""#,
            "/a/work.json5:1: provider: there is no such preset; tokenctl account add --list-providers names them"
        ),
        (#"provider: """#, "/a/work.json5:1: provider: must be a string that is not empty"),
        (#"provider: "example""#, "/a/work.json5: set: lacks “host”: your host, such as “idp.example”"),
        (
            #"provider: "example", set: { host: "h.example", tennant: "t" }"#,
            "/a/work.json5:1: set.tennant: is not a setting of this version of tokend; did you mean “tenant”?"
        ),
        (
            #"provider: "example", set: { host: "h/x" }"#,
            "/a/work.json5:1: set.host: must be a host’s name, perhaps with a port, such as “idp.example”"
        ),
        (
            #"provider: "example", set: { host: "h.example", tenant: "a/b" }"#,
            "/a/work.json5:1: set.tenant: must be letters, digits and ._- alone, such as “contoso”"
        ),
        (
            #"provider: "example", set: { host: "h.example", tenant: "\#(String(repeating: "t", count: 513))" }"#,
            "/a/work.json5:1: set.tenant: is longer than 512 bytes"
        ),
        (#"set: { host: "h" }"#, "/a/work.json5:1: set: answers what a preset asks, and no “provider” is named"),
    ])
    func `a fault names file, line and member, and the nearest preset`(members: String, fault: String) {
        #expect(Self.faults("{ \(members), client_id: \"c\" }") == [fault])
    }

    @Test(arguments: [
        "h.example@evil.example", "h.example/x", "h.example?x", "h.example#", "h example", "[::1]", "", "{host}",
    ])
    func `an answer never turns a URL into another one`(host: String) {
        #expect(Self.faults("{ provider: \"example\", set: { host: \"\(host)\" }, client_id: \"c\" }").count == 1)
    }

    @Test func `a fault of a preset's settings names the preset's line, one of the account's own the account's`() {
        let text = Self.preset.replacing("margin: 120", with: "margin: 0").replacing("scopes:", with: "skopes:")
        let faults = Self.faults(
            #"{ provider: "example", set: { host: "h.example" }, client_id: "c", audience: 5 }"#,
            Self.presets(text)
        )
        #expect(
            faults == [
                "/a/work.json5:1: audience: must be a string that is not empty",
                "/p/example.json5:11: account.skopes: is not a setting of this version of tokend; did you mean “scopes”?",
                "/p/example.json5:14: account.refresh.margin: must be a whole number from 1 to 86400",
            ]
        )
    }

    @Test(arguments: [
        ("{ }", "account: is missing"), ("{ account: 1 }", "account: must be an object"),
        (#"{ account: { provider: "google" } }"#, "cannot hold “provider”"),
        (#"{ account: { issuer: "https://{hots}" }, asks: { host: { about: "x" } } }"#, "{hots}"),
        (#"{ account: {}, asks: { x: {} } }"#, "asks.x.about: is missing"),
        (#"{ account: {}, asks: { x: { about: "x", kind: "hosts" } } }"#, "asks.x.kind: is none of: word, host, url"),
        (#"{ account: {}, asks: { x: { about: "x", default: "a/b" } } }"#, "asks.x.default: must be letters"),
        ("{ account: {}, tittle: 'x' }", "did you mean “title”?"), ("{ account: {}, ", "1: "),
    ])
    func `a preset that is broken says so, and its accounts with it`(text: String, fault: String) {
        let faults = Self.faults(#"{ provider: "example", client_id: "c" }"#, Self.presets(text))
        #expect(faults.contains { $0.hasPrefix("/p/example.json5:") && $0.contains(fault) }, "\(faults)")
    }

    @Test func `Entra's own template is left as it is (DISC-5)`() throws {
        let account = try Self.read(#"{ provider: "entra", client_id: "c" }"#)
        #expect(account.issuer?.text == "https://login.microsoftonline.com/organizations/v2.0")
        #expect(account.issuer?.template == "https://login.microsoftonline.com/{tenantid}/v2.0")
        let tenant = "f8cdef31-a31e-4b4a-93e4-5f571e91255a"
        let one = try Self.read("{ provider: \"entra\", set: { tenant: \"\(tenant)\" }, client_id: \"c\" }")
        #expect(one.issuer?.template == nil && one.issuer?.text.contains(tenant) == true)
    }

    @Test func `a slash at an answer's end does not double`() throws {
        let account = try Self.read(
            #"{ provider: "keycloak", set: { server: "https://sso.example/", realm: "r" }, client_id: "c" }"#
        )
        #expect(account.issuer?.text == "https://sso.example/realms/r")
        let iam = try Self.read(#"{ provider: "indigo-iam", set: { issuer: "https://iam.example/" }, client_id: "c" }"#)
        #expect(iam.issuer?.text == "https://iam.example/")
    }
}

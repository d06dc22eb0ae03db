// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Testing
import TokendProtocol

@testable import Broker

/// Presets among the files of one moment: layers, faults, and what a changed one does to a grant.
@Suite struct PresetFilesTests {
    private static func source(_ text: String, _ file: String) -> ConfigurationSource {
        ConfigurationSource(file: file, bytes: Array(text.utf8))
    }

    private static func configuration(preset: String, account: String = account) -> Configuration {
        var files = Configuration.Files(folder: "/c")
        files.presets["corp"] = source(preset, "/c/providers/corp.json5")
        files.accounts["work"] = source(account, "/c/accounts/work.json5")
        return Configuration(files: files) { $0 == "/ca.pem" ? "d1" : "d2" }
    }

    private static func account(_ configuration: Configuration) throws -> AccountConfiguration {
        guard case .usable(let account)? = configuration.accounts["work"] else {
            throw ConfigurationFaults(configuration.faults)
        }
        return account
    }

    private static let account = #"{ provider: "corp" }"#

    private static let settings = """
        issuer: "https://corp.example", client_id: "c", client_authentication: "none",
        endpoints: { token: "https://corp.example/t", userinfo: "https://corp.example/u",
          revocation: "https://corp.example/r", introspection: "https://corp.example/i",
          end_session: "https://corp.example/e" },
        tls: { ca_file: "/ca.pem" },
        """

    /// What a grant is bound to, and what a changed preset makes of it.
    static let bound = [
        (#"issuer: "https://corp.example""#, #"issuer: "https://corp.example/""#),
        (#"client_id: "c""#, #"client_id: "d""#),
        (#"client_authentication: "none""#, #"client_authentication: "client_secret_basic""#),
        ("corp.example/t", "evil.example/t"),
        ("corp.example/u", "evil.example/u"),
        ("corp.example/r", "evil.example/r"), ("corp.example/i", "evil.example/i"),
        ("corp.example/e", "evil.example/e"),
        (#"userinfo: "https://corp.example/u","#, ""), ("/ca.pem", "/other.pem"),
        (#"tls: { ca_file: "/ca.pem" },"#, ""),
    ]

    @Test(arguments: bound)
    func `a preset that changes what a grant is bound to holds it back, and lets it go when it is back`(
        old: String,
        new: String
    ) throws {
        let preset = "{ account: { \(Self.settings) } }"
        let account = try Self.account(Self.configuration(preset: preset))
        let destination = GrantDestination(account: account, wire: .init(), metadata: ProviderMetadata())
        #expect(destination.allows(account, wire: .init()))
        let changed = try Self.account(Self.configuration(preset: preset.replacing(old, with: new)))
        #expect(changed != account && !destination.allows(changed, wire: .init()))
        #expect(destination.allows(try Self.account(Self.configuration(preset: preset)), wire: .init()))
    }

    @Test func `any other change of a preset keeps it`() throws {
        let preset = "{ account: { \(Self.settings) } }"
        let account = try Self.account(Self.configuration(preset: preset))
        let destination = GrantDestination(account: account, wire: .init(), metadata: ProviderMetadata())
        let more = #"tls: { ca_file: "/ca.pem" }, scopes: ["x"], refresh: { margin: 60 },"#
        let text = preset.replacing(#"tls: { ca_file: "/ca.pem" },"#, with: more)
        let changed = try Self.account(Self.configuration(preset: text))
        #expect(changed != account && destination.allows(changed, wire: .init()))
    }

    @Test func `a file stands above the preset of that name that the program brings along`() throws {
        var files = Configuration.Files(folder: "/c")
        files.presets["google"] = Self.source(
            #"{ account: { issuer: "https://own.example" } }"#,
            "/c/providers/google.json5"
        )
        files.accounts["work"] = Self.source(#"{ provider: "google", client_id: "c" }"#, "/c/accounts/work.json5")
        let configuration = Configuration(files: files) { _ in nil }
        #expect(try Self.account(configuration).issuer?.text == "https://own.example")
        #expect(configuration.presets.file(of: "google") == "/c/providers/google.json5")
        #expect(configuration.presets.file(of: "entra") == nil && configuration.presets.names.count > 20)
    }

    @Test func `one that cannot be read disables its accounts, and no other`() throws {
        var files = Configuration.Files(folder: "/c")
        files.presetFaults["corp"] = ConfigurationFault(file: "/c/providers/corp.json5", message: "cannot be read")
        files.accounts["work"] = Self.source(Self.account, "/c/accounts/work.json5")
        files.accounts["home"] = Self.source(
            #"{ issuer: "https://i.example", client_id: "c" }"#,
            "/c/accounts/home.json5"
        )
        let configuration = Configuration(files: files) { _ in nil }
        #expect(configuration.faults.map(\.description) == ["/c/providers/corp.json5: cannot be read"])
        guard case .usable? = configuration.accounts["home"] else {
            Issue.record("The other account is disabled, too.")
            return
        }
    }

    @Test func `a broken preset that nobody uses is a fault and disables nothing; one in use is told once`() {
        let unused = Self.configuration(
            preset: "{ account: 1 }",
            account: #"{ issuer: "https://i.example", client_id: "c" }"#
        )
        #expect(unused.faults.map(\.description) == ["/c/providers/corp.json5:1: account: must be an object"])
        #expect(unused.furtherFaults.count == unused.faults.count)
        let used = Self.configuration(preset: "{ account: 1 }")
        #expect(used.faults.count == unused.faults.count && used.furtherFaults.isEmpty)
    }
}

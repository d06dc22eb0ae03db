// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import OAuth
import StrictJSON
import Testing
import TokendProtocol

@testable import Broker

/// The presets that the program brings along.
@Suite struct BuiltInPresetTests {
    static let names = ProviderPresets.builtIn.names

    /// Every provider that a user may want has one.
    @Test func `there is one for each provider of the list`() {
        let wanted = [
            "google", "entra", "microsoft-personal", "github", "github-app", "gitlab", "bitbucket", "okta", "auth0",
            "keycloak", "egi", "cognito", "slack", "dropbox", "salesforce", "zoho", "yahoo", "atlassian", "discord",
            "spotify", "twitch", "zoom", "fastmail", "orcid", "globus", "indigo-iam", "better-auth",
        ]
        #expect(Self.names == wanted.sorted())
    }

    @Test func `what is built in is what the folder holds`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Sources/Broker/Providers"
        )
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(files) == Set(Self.names.map { $0 + ".json5" }))
        for name in Self.names {
            let bytes = Array(try Data(contentsOf: folder.appending(path: name + ".json5")))
            #expect(ProviderPresets.embedded[name]?.bytes == bytes, "\(name)")
        }
    }

    @Test(arguments: names)
    func `it makes an account of what a person supplies`(name: String) throws {
        let account = try Self.account(name)
        #expect(account.clientID == "app" && account.file == "/a/work.json5")
        #expect(account.issuer != nil || account.endpoints.authorization != nil)
        let preset = try #require(try ProviderPresets.builtIn.preset(name))
        #expect(!preset.title.isEmpty && !preset.about.isEmpty && !preset.notes.isEmpty)
        #expect(preset.registration.url?.hasPrefix("https://") == true && preset.registration.kind != nil)
        for question in preset.asks {
            #expect(question.example.map { question.fault(of: $0) } == .some(nil), "\(question.name)")
        }
    }

    @Test(arguments: names)
    func `what it says of tools can be used`(name: String) throws {
        let preset = try #require(try ProviderPresets.builtIn.preset(name))
        let standard = preset.account["scopes"]?.array?.compactMap(\.string) ?? []
        for tool in preset.tools {
            // Without a scope of its own, a note says what else is to be done.
            #expect(tool.scopes.isEmpty == (tool.note != nil && tool.kind == .git && standard.isEmpty), "\(tool)")
            guard tool.kind == .mail else { continue }
            #expect(!tool.mechanisms.isEmpty && tool.imap != nil && tool.smtp != nil)
        }
        let mail = preset.tools.first { $0.kind == .mail }
        // Microsoft has no OAUTHBEARER.
        #expect(mail == nil || (mail?.mechanisms == ["xoauth2"]) == (name == "entra" || name == "microsoft-personal"))
    }

    @Test func `GitHub, GitLab, Google and Microsoft know the tools that people come for`() throws {
        for (name, kind) in [
            ("github", PresetTool.Kind.git), ("gitlab", .git), ("google", .mail), ("google", .calendar),
            ("entra", .mail), ("microsoft-personal", .mail), ("keycloak", .kubernetes),
        ] {
            #expect(try ProviderPresets.builtIn.preset(name)?.tools.contains { $0.kind == kind } == true, "\(name)")
        }
    }

    @Test(arguments: names)
    func `the redirect URI that it says to register is the one that it sends`(name: String) throws {
        let preset = try #require(try ProviderPresets.builtIn.preset(name))
        let sent = try #require(preset.account["redirect_uri"]?.string)
        // Google's desktop clients register none.
        #expect(preset.registration.redirect == sent || (name == "google" && preset.registration.redirect == nil))
    }

    @Test(arguments: names)
    func `no preset holds somebody's client, a secret or a policy of the person's (8252-11)`(name: String) throws {
        let preset = try #require(try ProviderPresets.builtIn.preset(name))
        for member in ["client_id", "allow", "administration", "confirm", "tls", "exchange", "token_headers"] {
            #expect(preset.account[member] == nil)
        }
    }

    /// The account that the preset makes of its examples. What belongs to features that this build lacks is left out, so
    /// that everything else is tried.
    static func account(_ name: String, set: JSONObject = [:], _ more: JSONObject = [:]) throws -> AccountConfiguration
    {
        let preset = try #require(try ProviderPresets.builtIn.preset(name))
        var answers: JSONObject = [:]
        for question in preset.asks where question.standard == nil {
            answers[question.name] = question.example.map { .string($0) }
        }
        for member in set { answers[member.name] = member.value }
        var object: JSONObject = ["provider": .string(name), "client_id": "app"]
        if !answers.isEmpty { object["set"] = .object(answers) }
        for member in more { object[member.name] = member.value }
        do throws(ConfigurationFaults) {
            return try read(object)
        } catch {
            let unbuilt = error.list.filter { $0.message.contains("not built yet") }
            guard unbuilt.count == error.list.count else { throw error }
            for fault in unbuilt { object[fault.member?.replacing("account.", with: "") ?? ""] = .null }
            return try read(object)
        }
    }

    private static func read(_ object: JSONObject) throws(ConfigurationFaults) -> AccountConfiguration {
        let source = ConfigurationSource(file: "/a/work.json5", bytes: JSONWriter.bytes(.object(object)))
        return try AccountConfiguration.read(name: "work", source: source) { _ in nil }
    }
}

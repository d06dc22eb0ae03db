// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import StrictJSON
import TestSupport
import Testing

/// docs/configuration.md against the reader of the files.
@Suite struct DocumentationConfigurationTests {
    private static let page = DocumentationPage.named("docs/configuration.md")

    @Test func `the example files are read without a fault`() throws {
        let files = Self.page.blocks.filter { $0.info.hasPrefix("json5") && $0.info != "json5 preset" }
        let kinds = files.map { $0.info.dropFirst("json5 ".count) }
        #expect(Set(kinds) == ["account", "daemon", "policy"])
        for (file, kind) in zip(files, kinds) {
            #expect(kind == "policy" || Self.faults(file.text, isAccount: kind == "account") == [], "\(file.text)")
            guard kind == "policy" else { continue }
            let source = ConfigurationSource(file: "policy.json5", bytes: Array(file.text.utf8))
            #expect(throws: Never.self) { try AdministratorPolicy.read(source) }
        }
    }

    @Test(
        arguments: [
            "An account", "Refreshing", "An application's own token", "Endpoints", "What providers do differently",
            "Which programs may", "The daemon's own settings", "Further sockets",
        ]
    )
    func `every setting is accepted, with its example and with its default`(heading: String) throws {
        let isAccount = !["The daemon's own settings", "Further sockets"].contains(heading)
        let table = try #require(Self.page.tables.first { $0.heading == heading })
        #expect(table.rows.count >= 3)
        for column in ["for example", "default"] {
            for (setting, value) in zip(table.column("setting"), table.column(column)) where !value.isEmpty {
                let text = Self.file(setting, value, isAccount: isAccount)
                #expect(Self.faults(text, isAccount: isAccount) == [], "\(text)")
            }
        }
    }

    @Test func `what is not built yet is refused by name, and its empty value is accepted`() throws {
        let table = try #require(Self.page.tables.first { $0.heading == "Not built yet" })
        for row in table.rows {
            let isAccount = row[0] == "account"
            let text = Self.file(row[1], row[2], isAccount: isAccount)
            let faults = Self.faults(text, isAccount: isAccount)
            #expect(faults.count == 1, "\(text): \(faults)")
            #expect(faults.allSatisfy { $0.contains(" \(row[1]): ") && $0.contains("not built yet") }, "\(faults)")
            guard !row[3].isEmpty else { continue }
            let accepted = Self.file(row[1], row[3], isAccount: isAccount)
            #expect(Self.faults(accepted, isAccount: isAccount) == [], "\(accepted)")
        }
    }

    /// A file with one setting beside what an account must have; dots are levels.
    private static func file(_ setting: String, _ value: String, isAccount: Bool) -> String {
        let names = setting.split(separator: ".")
        let open = names.map { "\($0): " }.joined(separator: "{ ")
        // What its object needs beside it.
        var beside = ""
        if setting.hasPrefix("sockets."), names.last != "accounts" { beside = ", accounts: [\"ci\"]" }
        if setting.hasPrefix("exchange."), names.last != "url" { beside = ", url: \"https://app.example.com\"" }
        let member = open + value + beside + String(repeating: " }", count: names.count - 1)
        var members = [member]
        if isAccount {
            if setting != "issuer" { members.append("issuer: \"https://login.example.com\"") }
            if setting != "client_id" { members.append("client_id: \"desktop\"") }
        }
        return "{ " + members.joined(separator: ", ") + " }"
    }

    private static func faults(_ text: String, isAccount: Bool) -> [String] {
        let source = ConfigurationSource(file: "test.json5", bytes: Array(text.utf8))
        do throws(ConfigurationFaults) {
            if isAccount {
                _ = try AccountConfiguration.read(name: "work", source: source) { _ in "digest" }
            } else {
                _ = try DaemonConfiguration().reading(source) { _ in "digest" }
            }
            return []
        } catch {
            return error.list.map(\.description)
        }
    }
}

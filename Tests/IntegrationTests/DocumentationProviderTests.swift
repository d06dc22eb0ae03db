// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import StrictJSON
import Testing
import TokendProtocol

/// docs/providers against the presets.
@Suite struct DocumentationProviderTests {
    private static let index = DocumentationPage.named("docs/providers/README.md")

    private static func page(_ name: String) -> DocumentationPage { .named("docs/providers/\(name).md") }

    private static func preset(_ name: String) throws -> ProviderPreset {
        try #require(try ProviderPresets.builtIn.preset(name))
    }

    @Test func `the index has every preset, and no page is without one`() throws {
        let table = try #require(Self.index.tables.first)
        let names = ProviderPresets.builtIn.names
        #expect(table.column("preset") == names.map { "[`\($0)`](\($0).md)" })
        for (name, row) in zip(names, table.rows) {
            let preset = try Self.preset(name)
            #expect(row[1] == "\(preset.title): \(preset.about)")
            #expect(row[2] == preset.registration.redirect ?? "none")
            #expect((row[3] == "yes") == Self.wantsSecret(preset))
            let isPasted = preset.account["redirect_uri"]?.string?.hasPrefix("https:") == true
            let way = isPasted ? "in a browser, pasting the answer" : "in a browser"
            #expect(row[5] == (preset.account["flow"] == "device" ? "with a code" : way))
            #expect(row[6] == preset.tools.map(\.kind.rawValue).joined(separator: ", "))
            #expect(row[4] == preset.asks.map { "`\($0.name)`" }.joined(separator: ", ").withoutLoneQuotes)
        }
        let pages = DocumentationPage.all.map(\.path).filter {
            $0.hasPrefix("docs/providers/") && !$0.contains("README")
        }
        #expect(Set(pages) == Set(names.map { "docs/providers/\($0).md" }))
    }

    @Test(arguments: ProviderPresets.builtIn.names)
    func `each page has what its preset says, byte for byte`(name: String) throws {
        let (page, preset) = (Self.page(name), try Self.preset(name))
        let prose = page.prose.map(\.text).joined(separator: " ").replacing("  ", with: " ")
        #expect(page.headings.first == preset.title && prose.contains("The preset is `\(name)`."))
        #expect(
            prose.contains("<\(try #require(preset.registration.url))>: \(try #require(preset.registration.kind)).")
        )
        if let redirect = preset.registration.redirect {
            #expect(prose.contains("The redirect URI, byte for byte: `\(redirect)`"))
        }
        let scopes = preset.account["scopes"]?.array?.compactMap(\.string) ?? []
        let asked = scopes.map { "`\($0)`" }.joined(separator: ", ")
        #expect(scopes.isEmpty || prose.contains("The preset asks for \(asked)."))
        for scope in preset.tools.flatMap(\.scopes) { #expect(prose.contains("`\(scope)`"), "\(scope)") }
        for note in preset.notes { #expect(page.prose.contains { $0.text == "- \(note)." }, "\(note)") }
        #expect(prose.contains("give its secret when you are asked") == Self.wantsSecret(preset))
        #expect(
            Array(page.headings.dropFirst()) == [
                "Register", "Scopes, and which of them bring a refresh token", "How long a login lasts",
                "What it refuses, and what then", "What was checked",
            ]
        )
    }

    @Test(arguments: ProviderPresets.builtIn.names)
    func `each page's command and file make an account`(name: String) throws {
        let page = Self.page(name)
        let file = try #require(page.blocks.first { $0.info == "json5 account" })
        let source = ConfigurationSource(file: "test.json5", bytes: Array(file.text.utf8))
        do throws(ConfigurationFaults) {
            _ = try AccountConfiguration.read(name: "work", source: source) { _ in nil }
        } catch {
            #expect(error.list.allSatisfy { $0.message.contains("not built yet") }, "\(error.list.map(\.description))")
        }
        let set = try source.object()["set"]?.object ?? [:]
        let flags = set.map { " --set \($0.name)=\($0.value.string ?? "")" }.joined()
        let client = try Self.preset(name).registersClients ? "" : " --client-id ID"
        let command = "tokenctl login work --provider \(name)\(client)\(flags)\n"
        #expect(page.blocks.first { $0.info == "sh" }?.text == command)
        #expect(
            set.allSatisfy { member in (try? Self.preset(name))?.asks.contains { $0.name == member.name } ?? false }
        )
    }

    @Test func `the example of a preset is one`() throws {
        let page = DocumentationPage.named("docs/configuration.md")
        let block = try #require(page.blocks.first { $0.info == "json5 preset" })
        let preset = ConfigurationSource(file: "corp.json5", bytes: Array(block.text.utf8))
        let presets = ProviderPresets(files: ["corp": preset])
        let account = ConfigurationSource(file: "a", bytes: Array(#"{ provider: "corp", set: { site: "bonn" } }"#.utf8))
        let made = try AccountConfiguration.read(name: "work", source: account, presets: presets) { _ in nil }
        #expect(made.issuerName == "https://bonn.login.example.com" && made.clientID == "tokend")
    }

    private static func wantsSecret(_ preset: ProviderPreset) -> Bool {
        preset.account["client_authentication"]?.string?.hasPrefix("client_secret_") ?? false
    }
}

extension String {
    /// As a table's cell is read: without its code marks where it is one span.
    fileprivate var withoutLoneQuotes: String {
        filter { $0 == "`" }.count == 2 ? replacing("`", with: "") : self
    }
}

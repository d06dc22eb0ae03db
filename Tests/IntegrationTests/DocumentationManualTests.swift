// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import TestSupport
import Testing
import TokendProtocol

extension Programs {
    /// The manual page that is written by hand, beside what the program says of itself.
    @Suite struct DocumentationManual {
        @Test func `tokenctl(1) has the verbs and flags of the help, in their order`() async throws {
            try await KeyringSession.with(.none) { session in
                let tokenctl = try Tokenctl(DaemonWorld(session))
                var expected: [String] = []
                for verb in Self.verbs(try await tokenctl.run("help").output) {
                    let words = verb.split(separator: " ").map(String.init)
                    let help =
                        words.count == 1
                        ? try await tokenctl.run("help", words[0]) : try await tokenctl.run("help", words[0], words[1])
                    expected += Self.usage(help.output)
                }
                #expect(expected.count > 50)
                #expect(try Self.manual() == expected)
            }
        }

        @Test func `tokenctl(1) has every exit status of the program`() throws {
            var codes = Set(ErrorKind.known.map(\.exitCode))
            for line in try Self.text("Sources/tokenctl/ExitCode.swift").split(separator: "\n") {
                guard let number = line.split(separator: ": Int32 = ").last.flatMap({ Int32($0) }) else { continue }
                codes.insert(number)
            }
            #expect(codes.count > 14)
            let page = try Self.text("man/tokenctl.1").split(separator: ".Sh ").first { $0.hasPrefix("EXIT STATUS") }
            let items = try #require(page).split(separator: "\n").filter { $0.hasPrefix(".It ") }
            // Of a signal's, which are many, the page has the rule.
            #expect(items == codes.sorted().map { ".It \($0)" + ($0 == 128 ? "+N" : "") })
        }

        private static func text(_ file: String) throws -> String {
            String(decoding: try Data(contentsOf: URL(filePath: BuildProducts.source + "/" + file)), as: UTF8.self)
        }

        /// The verbs' names in the overview.
        private static func verbs(_ overview: String) -> [String] {
            overview.split(separator: "\n").compactMap { line in
                guard line.hasPrefix("  "), !line.hasPrefix("   "), !line.hasPrefix("  tokenctl") else { return nil }
                let usage = line.dropFirst(2).prefix(26).split(separator: "  ").first ?? ""
                return usage.split(separator: " ").prefix { $0.allSatisfy(\.isLowercase) }.joined(separator: " ")
            }
        }

        /// `login [ACCOUNT]`, then `--issuer URL` and the other flags, but for `--json`, which all verbs have.
        private static func usage(_ help: String) -> [String] {
            let lines = help.split(separator: "\n")
            let first = (lines.first ?? "").replacing("tokenctl ", with: "").replacing(" [--flags]", with: "")
            return [String(first)]
                + lines.filter { $0.hasPrefix("  --") && !$0.hasPrefix("  --json") }
                .compactMap { $0.dropFirst(2).split(separator: "  ").first.map(String.init) }
        }

        /// The same of the page: `.It Ic login Op Ar ACCOUNT` and `.It Fl -issuer Ar URL`.
        private static func manual() throws -> [String] {
            try text("man/tokenctl.1").split(separator: "\n")
                .filter { $0.hasPrefix(".It Ic ") || $0.hasPrefix(".It Fl ") }.map(plain)
        }

        private static func plain(_ line: Substring) -> String {
            var words: [String] = []
            var opening = "", isFlag = false, isOpen = false
            for word in line.split(separator: " ").dropFirst() {
                switch word {
                case "Ic", "Ar": continue
                case "Fl": isFlag = true
                case "Oo": opening = "["
                case "Oc": words[words.count - 1] += "]"
                case "Op": (opening, isOpen) = ("[", true)
                default:
                    words.append(opening + (isFlag ? "-" : "") + String(word.replacing("\\&", with: "")))
                    (opening, isFlag) = ("", false)
                }
            }
            return words.joined(separator: " ") + (isOpen ? "]" : "")
        }
    }
}

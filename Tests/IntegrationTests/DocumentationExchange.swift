// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

/// An example of docs/protocol.md: a line that a client sends, and those that it reads.
struct DocumentationExchange: Sendable {
    /// The line of its block in the page.
    let line: Int
    let request: String
    let answers: [String]

    /// All examples of the page, in order.
    static func all(in page: DocumentationPage) -> [DocumentationExchange] {
        page.blocks.filter { $0.info == "jsonrpc" }.map { block in
            let lines = block.text.split(separator: "\n").map(String.init)
            return DocumentationExchange(
                line: block.line,
                request: lines.first { $0.hasPrefix("→ ") }.map { String($0.dropFirst(2)) } ?? "",
                answers: lines.filter { $0.hasPrefix("← ") }.map { String($0.dropFirst(2)) }
            )
        }
    }

    /// The request as an object.
    func message() throws -> JSONObject { try #require(try JSONReader().read(request).object) }

    /// The method that the request calls.
    func method() throws -> String { try #require(try message()["method"]?.string) }

    /// The request's `params`.
    func params() throws -> JSONObject { try message()["params"]?.object ?? [:] }

    /// The reply, the last of the answers.
    func reply() throws -> JSONObject { try #require(try JSONReader().read(answers.last ?? "").object) }
}

/// Compares an answer of the documentation with one of the daemon.
enum DocumentationComparison {
    /// Members whose text is part of the contract; of other texts only the type is compared.
    private static let words: Set<String> = [
        "kind", "state", "reason", "token_type", "flow", "type", "scope", "subject", "identity", "account", "method",
        "jsonrpc", "id", "member",
    ]

    /// What differs, with the place of each difference; empty where the daemon says what the page says.
    static func differences(_ page: JSONValue, _ daemon: JSONValue, at place: String = "", named: String = "")
        -> [String]
    {
        switch (page, daemon) {
        case (.object(let page), .object(let daemon)):
            return objects(page, daemon, at: place)
        case (.array(let page), .array(let daemon)):
            guard page.isEmpty == daemon.isEmpty else { return ["\(place): one of both lists is empty"] }
            return daemon.flatMap { element in
                let all = page.map { differences($0, element, at: place + "[]", named: named) }
                return all.min { $0.count < $1.count } ?? []
            }
        case (.string(let page), .string(let daemon)):
            if named == "message" {
                let start = page.prefix { $0 != "…" }
                return daemon.hasPrefix(start) ? [] : ["\(place): “\(page)” against “\(daemon)”"]
            }
            return !words.contains(named) || page == daemon ? [] : ["\(place): “\(page)” against “\(daemon)”"]
        case (.number(let page), .number(let daemon)):
            return !["code", "id"].contains(named) || page == daemon ? [] : ["\(place): another number"]
        case (.bool(let page), .bool(let daemon)):
            return page == daemon ? [] : ["\(place): \(page) against \(daemon)"]
        default:
            return page == daemon ? [] : ["\(place): another type"]
        }
    }

    private static func objects(_ page: JSONObject, _ daemon: JSONObject, at place: String) -> [String] {
        let isOpen = place.hasSuffix(".methods")
        var found = page.filter { daemon[$0.name] == nil }.map { "\(place).\($0.name): the daemon does not say it" }
        if !isOpen {
            found += daemon.filter { page[$0.name] == nil }.map { "\(place).\($0.name): the page does not say it" }
        }
        for member in page {
            guard let other = daemon[member.name] else { continue }
            found += differences(member.value, other, at: "\(place).\(member.name)", named: member.name)
        }
        return found
    }
}

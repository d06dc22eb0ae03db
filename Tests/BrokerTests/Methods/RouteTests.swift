// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Testing
import TokendProtocol

@testable import Broker

/// The routes against the pages that say who may call a method, and where.
@Suite struct RouteTests {
    private static func page(_ name: String) throws -> String {
        var folder = URL(filePath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return String(decoding: try Data(contentsOf: folder.appending(path: "docs/\(name)")), as: UTF8.self)
    }

    /// The methods that the only line with this text names.
    private static func methods(inLineWith text: String, of page: String) throws -> Set<Method> {
        let lines = page.split(separator: "\n").filter { $0.contains(text) }
        let line = try #require(lines.count == 1 ? lines[0] : nil)
        return Set(
            line.split(separator: "`").flatMap { word in
                Method.allCases.filter { method in
                    method.rawValue == word || word.hasSuffix(".*") && method.rawValue.hasPrefix(word.dropLast())
                }
            }
        )
    }

    @Test func `each method that is built has one route, under its own name`() {
        // These two are named, but not built.
        #expect(Set(Route.byMethod.keys) == Set(Method.allCases).subtracting([.tokenExchange, .tokenProof]))
        #expect(Route.all.count == Route.byMethod.count)
        for route in Route.all { #expect(Route.byMethod[route.method]?.names == route.names) }
    }

    @Test(arguments: [(Access.everybody, "| every client |"), (.clients, "that the account's `allow` names |")])
    func `docs protocol says who may call a method`(access: Access, line: String) throws {
        let named = try Self.methods(inLineWith: line, of: Self.page("protocol.md"))
        #expect(named == Set(Route.all.filter { $0.access == access }.map(\.method)))
    }

    @Test func `docs configuration says which methods a further socket can have`() throws {
        let named = try Self.methods(inLineWith: "| `sockets.build.methods` |", of: Self.page("configuration.md"))
        #expect(named == NarrowSocket.possible)
    }

    @Test func `what must not be done twice is not sent twice`() {
        let once = Set(Method.allCases.filter { !$0.mayRepeat })
        #expect(
            once == [
                .accountAdd, .accountImport, .accountRemove, .accountSecret, .tokenExchange, .eventsSubscribe,
            ]
        )
    }
}

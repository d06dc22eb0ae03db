// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Members
import StrictJSON
import TestSupport
import Testing
import TokendProtocol

/// docs/protocol.md against the types of both ends, without a daemon.
@Suite struct DocumentationProtocolTests {
    private static let page = DocumentationPage.named("docs/protocol.md")
    private static let exchanges = DocumentationExchange.all(in: page)

    @Test func `every example is one request and its answers`() throws {
        #expect(Self.exchanges.count > 20)
        for exchange in Self.exchanges {
            #expect(!exchange.request.isEmpty && !exchange.answers.isEmpty, "line \(exchange.line)")
            let request = try RequestMessage(line: Array(exchange.request.utf8))
            #expect(request.method == (try exchange.method()))
            for answer in exchange.answers { _ = try ServerMessage(line: Array(answer.utf8)) }
        }
    }

    @Test func `requests and results read into their types, and come out as they went in`() throws {
        for exchange in Self.exchanges {
            let (method, params, reply) = try (exchange.method(), exchange.params(), exchange.reply())
            let codec = try #require(DocumentationCodec.all[method], "\(method)")
            if let error = reply["error"]?.object {
                let kind = ErrorKind(rawValue: error["data"]?.object?["kind"]?.string ?? "")
                #expect(ErrorKind.known.contains(kind), "line \(exchange.line)")
                #expect(error["code"]?.int64 == Int64(kind.code), "line \(exchange.line)")
                continue
            }
            #expect(try codec.params(params) == params, "line \(exchange.line)")
            let result = try #require(reply["result"])
            let again = try codec.result(try #require(result.object))
            #expect(DocumentationComparison.differences(result, .object(again)) == [], "line \(exchange.line)")
        }
    }

    @Test func `signatures are the declarations of the messages`() throws {
        let signatures = DocumentationSignature.all(in: Self.page)
        #expect(Set(signatures.keys) == Set(DocumentationCodec.all.keys))
        for (method, codec) in DocumentationCodec.all {
            let signature = try #require(signatures[method])
            #expect(signature.required == Self.names(codec.parameters) { $0.isRequired }, "\(method)")
            #expect(signature.optional == Self.names(codec.parameters) { !$0.isRequired }, "\(method)")
            #expect(signature.resultRequired == Self.names(codec.members) { $0.isRequired }, "\(method)")
            #expect(signature.resultOptional == Self.names(codec.members) { !$0.isRequired }, "\(method)")
        }
    }

    @Test func `every object in the text is one that is declared`() {
        var declared: Set<Set<String>> = []
        for codec in DocumentationCodec.all.values {
            declared.formUnion(Self.objects(codec.parameters) + Self.objects(codec.members))
        }
        var count = 0
        for (_, line) in Self.page.prose {
            for span in line.split(separator: "`") where span.hasPrefix("{") && span.hasSuffix("}") {
                guard !span.contains("\""), !span.contains("…"), span != "{NAME}" else { continue }
                let names = span.filter { !"{} ".contains($0) }.split(separator: ",").map(String.init)
                #expect(declared.contains(Set(names)), "\(span)")
                count += 1
            }
        }
        #expect(count > 40)
    }

    /// The members of an object and of those in it, in the words of the page.
    private static func objects(_ members: [MemberOutline]) -> [Set<String>] {
        [Set(members.map { $0.name + ($0.isRequired ? "" : "?") })] + members.flatMap { objects($0.inner) }
    }

    private static func names(_ members: [MemberOutline], _ isMeant: (MemberOutline) -> Bool) -> Set<String> {
        Set(members.filter(isMeant).map(\.name))
    }

    @Test func `the error table is the code's`() throws {
        let table = try #require(Self.page.tables.first { $0.heading == "Errors" })
        #expect(table.header.prefix(2) == ["kind", "code"] && table.header.last == "exit")
        #expect(Set(table.column("kind")) == Set(ErrorKind.known.map(\.rawValue)))
        #expect(table.rows.count == ErrorKind.known.count)
        for row in table.rows {
            let kind = ErrorKind(rawValue: row[0])
            #expect(row[1] == "\(kind.code)" && row.last == "\(kind.exitCode)", "\(row[0])")
        }
        #expect(Self.members(in: table.column("further members of `data`")) == Set(ErrorDetails.names))
    }

    @Test func `the event table has every type that the code knows`() throws {
        let table = try #require(Self.page.tables.first { $0.header.first == "type" && $0.header.contains("when") })
        let types = DocumentationPage.named("Sources/TokendProtocol/EventMessage.swift").text
            .split(separator: "EventType(rawValue: \"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
        #expect(types.count > 10)
        #expect(Set(table.column("type")) == Set(types))
        #expect(Self.members(in: table.column("further members")) == Set(EventDetails.names))
    }

    /// The members that a column names, without those that stand in brackets after one.
    private static func members(in column: [String]) -> Set<String> {
        let plain = column.map { $0.replacing(/\([^)]*\)/, with: "") }
        return Set(plain.flatMap { $0.split(separator: /[`, ?]+/) }.map(String.init))
    }

    @Test func `the limits are the code's`() throws {
        let limits = try #require(Self.page.tables.first { $0.heading == "Limits" }).column("how much")
        let code = SessionLimits()
        let expected: [String] = [
            "\(code.line >> 10) KiB", "32 levels", "\(MarkRun.longest)",
            "\(code.inFlight), of \(code.underWay >> 20) MiB together",
            "\(code.unread >> 20) MiB",
            "\(code.turn.components.attoseconds / 1_000_000_000_000_000) ms",
            "half of the daemon's descriptors (`LimitNOFILE`), or all but \(SessionLimits.ownDescriptors) "
                + "where that is more",
            "for programs outside sandboxes of which no process holds half of all",
            "256; all such sockets together, an eighth of the descriptors", "\(code.together >> 20) MiB",
            "\(code.together >> 23) MiB",
            "\(code.subscribers); of a further socket, \(code.subscribers / 8)",
            "for programs outside sandboxes of which no process holds a quarter of all",
            "\(TokenWaiters.most), for \(TokenWaiters.mostCombinations) "
                + "[combinations](#other-tokens-of-the-same-grant)",
            "\(FetchBudget.burst), and one more every \(FetchBudget.interval) s",
            "\(SessionLimits.waitingForAnswer)", "\(TokenGet.Parameters.applicationLimit) bytes",
            "\(TokenGet.Parameters.challengeLimit >> 10) KiB each",
            "\(JSONObject.extraMembers) members, \(JSONObject.extraBytes >> 10) KiB", "366 days",
        ]
        #expect(limits == expected)
    }
}

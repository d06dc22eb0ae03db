// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Members
import StrictJSON
import Testing
import TokendProtocol

/// A message as it is declared, and how it is read and written.
struct MessageCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let isResult: Bool
    let members: [MemberOutline]
    /// Reads the members and gives back what is written of them: as members, and as JSON.
    let roundTrip: @Sendable (JSONObject) throws(ProtocolError) -> (JSONObject, [UInt8])

    private init<Message: WireMessage>(
        _ description: String,
        isResult: Bool,
        bytes: @escaping @Sendable (Message) -> [UInt8] = { JSONWriter.bytes(.object($0.encoded())) },
        read: @escaping @Sendable (JSONObject) throws(ProtocolError) -> Message
    ) {
        testDescription = description
        self.isResult = isResult
        members = Message.members.map(\.outline)
        roundTrip = { json throws(ProtocolError) in
            let message = try read(json)
            return (message.encoded(), bytes(message))
        }
    }

    private static func both<Call: MethodCall>(of call: Call.Type) -> [MessageCase] {
        let parameters = MessageCase("parameters of \(call.method.rawValue)", isResult: false) {
            params throws(ProtocolError) in try Call.Parameters(params: params)
        }
        let append: @Sendable (Call.Result) -> [UInt8] = { result in
            var bytes: [UInt8] = []
            result.append(to: &bytes)
            return bytes
        }
        let result = MessageCase("result of \(call.method.rawValue)", isResult: true, bytes: append) {
            json throws(ProtocolError) in try Call.Result(json: json)
        }
        return [parameters, result]
    }

    static let all =
        Route.all.flatMap { both(of: $0.call) }
        + [MessageCase("event", isResult: true) { json throws(ProtocolError) in try EventMessage(json: json) }]

    /// A value for each member, those inside included; or for those alone that may not be absent.
    func sample(full: Bool) -> JSONObject {
        Self.object(members, full: full)
    }

    private static func object(_ members: [MemberOutline], full: Bool) -> JSONObject {
        JSONObject(members.filter { full || $0.isRequired }.map { ($0.name, value($0, full: full)) })
    }

    private static func value(_ member: MemberOutline, full: Bool) -> JSONValue {
        switch member.expectation {
        case "true or false": true
        case let text where text.hasPrefix("a whole number"): 7
        case "an object" where member.inner.isEmpty: ["k": ["v"]]
        case "an object": .object(object(member.inner, full: full))
        case "a list of objects": [.object(object(member.inner, full: full))]
        case let text where text.hasSuffix("list of strings"): ["a", "b"]
        // The one closed set of words that a result has, and for all others a text like any.
        case let text where text.hasPrefix("a string") || text.hasPrefix("scopes"): "restart"
        case let words: .string(String(words.prefix { $0 != "," }))
        }
    }
}

extension JSONValue {
    /// A number that is not whole: wrong for every member.
    static let fraction = (try? JSONReader().read("1.5")) ?? "a fraction that could not be read"
}

/// All declarations of messages.
@Suite struct WireMessageTests {
    @Test(arguments: MessageCase.all) func `each message reads what it writes, with every member and with none`(
        _ message: MessageCase
    ) throws {
        for full in [true, false] {
            let sample = message.sample(full: full)
            let (members, bytes) = try message.roundTrip(sample)
            #expect(sample.names.allSatisfy { members[$0] != nil })
            #expect(bytes == JSONWriter.bytes(.object(members)))
            // What is there beyond the required is written always: of a preset.
            let again = try message.roundTrip(members)
            #expect(again.0 == members && (!full || members == sample))
            #expect(members.names == message.members.map(\.name).filter { members[$0] != nil })
        }
    }

    @Test(arguments: MessageCase.all) func `a member that is missing or ill-typed is named`(_ message: MessageCase) {
        for member in message.members {
            for value: JSONValue? in [nil, .null, [[]], [1], .fraction] where value != nil || member.isRequired {
                var broken = message.sample(full: true)
                broken[member.name] = value
                let error = #expect(throws: ProtocolError.self) { try message.roundTrip(broken) }
                if message.isResult {
                    #expect(error?.kind == .internalError && error?.message.contains("'\(member.name)'") == true)
                } else {
                    #expect(error?.kind == .invalidParams && error?.data["member"]?.string == member.name)
                }
            }
        }
    }

    @Test(arguments: MessageCase.all)
    func `a member that is not declared is refused in parameters and passed over in results`(_ message: MessageCase)
        throws
    {
        for name in ["acount", "", "Account", "a\u{1B}[31m"] {
            var sample = message.sample(full: true)
            sample[name] = true
            if message.isResult {
                let members = try message.roundTrip(sample).0
                // What an event says besides is its own.
                #expect(members[name] == nil || message.testDescription == "event")
            } else {
                let error = #expect(throws: ProtocolError.self) { try message.roundTrip(sample) }
                #expect(error?.kind == .invalidParams && error?.data["member"]?.string == name)
                #expect(error?.message.contains("\u{1B}") == false)
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Members
import StrictJSON
import TokendProtocol

extension FuzzTarget {
    static func readRequest(_ bytes: [UInt8]) throws(BrokenRule) {
        let line = bytes.filter { $0 != UInt8(ascii: "\n") }
        try readReply(line)
        let request: RequestMessage
        do throws(RequestError) {
            request = try RequestMessage(line: line)
        } catch {
            try checkReply(error.reply())
            try BrokenRule.unless(!isPlain(line), "a plain request is a request: \(error.error.message)")
            return
        }
        try comparePlain(line, request)
        let again = try BrokenRule.value("a request that is written can be read") {
            try RequestMessage(line: Array(request.line().dropLast()))
        }
        try BrokenRule.unless(
            again.method == request.method && again.params == request.params && again.id == request.id,
            "a request that is written is read as the same"
        )
        // Where no method is named, each one's parameters are read.
        let named = Route.all.filter { $0.method.rawValue == request.method }
        for route in named.isEmpty ? Route.all : named { try check(route.call, request) }
    }

    private static func isPlain(_ line: [UInt8]) -> Bool {
        line.withUnsafeBytes { TokenGet.PlainRequest(line: $0) != nil }
    }

    /// The quick reader and the full one say the same of what the quick one takes.
    private static func comparePlain(_ line: [UInt8], _ request: RequestMessage) throws(BrokenRule) {
        let plain = line.withUnsafeBytes { bytes in
            TokenGet.PlainRequest(line: bytes).map { ($0.form, Array($0.id), $0.account, $0.minValid, $0.application) }
        }
        guard let plain else { return }
        let parameters = try BrokenRule.value("a plain request is a token.get") {
            try TokenGet.Parameters(params: request.params)
        }
        var wanted = TokenGet.Parameters(account: plain.2)
        wanted.minValid = plain.3
        wanted.application = plain.4
        try BrokenRule.unless(
            request.method == Method.tokenGet.rawValue && request.form == plain.0
                && request.id.map { Array($0.text.utf8) } == plain.1 && parameters == wanted,
            "a plain request says the same to both readers"
        )
    }

    private static func checkReply(_ reply: [UInt8]?) throws(BrokenRule) {
        guard let reply else { return }
        try BrokenRule.unless(reply.last == UInt8(ascii: "\n"), "a reply ends its line")
        try BrokenRule.unless(!reply.dropLast().contains(UInt8(ascii: "\n")), "a reply is one line")
        _ = try BrokenRule.value("a reply can be read") { try ServerMessage(line: Array(reply.dropLast())) }
    }

    /// The line as a client reads it, whatever it asked for.
    private static func readReply(_ line: [UInt8]) throws(BrokenRule) {
        guard case .reply(let reply)? = try? ServerMessage(line: line), case .success = reply.outcome else { return }
        for route in Route.all { try checkResult(route.call, reply) }
    }

    private static func checkResult<Call: MethodCall>(_ call: Call.Type, _ reply: ReplyMessage) throws(BrokenRule) {
        guard let result = try? Call.result(of: reply) else { return }
        let name = Call.method.rawValue
        let again = try BrokenRule.value("a result of \(name) that is written can be read") {
            var bytes: [UInt8] = []
            result.append(to: &bytes)
            return try Call.Result(json: JSONReader(maximumDepth: 64).read(bytes).object ?? [:])
        }
        try BrokenRule.unless(again == result, "a result of \(name) is read as it was written")
    }

    private static func check<Call: MethodCall>(_ call: Call.Type, _ request: RequestMessage) throws(BrokenRule) {
        let read = Result { () throws(ProtocolError) in try Call.Parameters(params: request.params) }
        switch read {
        case .success(let parameters):
            let name = Call.method.rawValue
            let again = try BrokenRule.value("the parameters of \(name) that are written can be read") {
                try Call.Parameters(params: parameters.encoded())
            }
            try BrokenRule.unless(again == parameters, "the parameters of \(name) are read as they were written")
        case .failure(let error):
            try checkReply(ReplyMessage.error(error, to: request))
        }
    }
}

extension FuzzTarget {
    /// The words that an input may be put together from, for libFuzzer: those of the messages.
    package var dictionary: [String] {
        guard self == .requests else { return [] }
        let calls = Route.all.flatMap { [$0.method.rawValue] + Self.words(of: $0.call) }
        let lines = ["jsonrpc", "2.0", "id", "method", "params", "result", "error", "event"]
        return Set(lines + calls + Self.words(EventMessage.members.map(\.outline))).sorted()
    }

    private static func words<Call: MethodCall>(of call: Call.Type) -> [String] {
        words(Call.Parameters.members.map(\.outline) + Call.Result.members.map(\.outline))
    }

    private static func words(_ members: [MemberOutline]) -> [String] {
        members.flatMap { [$0.name] + words($0.inner) }
    }
}

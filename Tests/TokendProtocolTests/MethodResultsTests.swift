// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON
import Testing
import TokendProtocol

@Suite struct MethodResultsTests {
    @Test func `every method of version 1 has its name`() {
        let names = """
            hello token.get token.exchange token.proof status login.start login.wait login.check login.complete \
            login.cancel logout store.unlock account.list account.show account.add account.secret account.import \
            account.refresh account.pause account.resume account.remove provider.list provider.fetch config.reload doctor policy.list policy.revoke \
            confirm.answer events.subscribe
            """
        #expect(Set(Method.allCases.map(\.rawValue)) == Set(names.split(separator: " ").map(String.init)))
    }

    @Test func `a call goes out and its answer comes in`() throws {
        let request = TokenGet.request(TokenGet.Parameters(account: "work"), id: RawID(1))
        #expect(request.params == ["account": "work"])
        let result = TokenGet.Result(
            account: "work",
            issuer: "https://i.example",
            accessToken: Secret("t0ken"),
            scope: "a",
            renewable: true
        )
        let line = ReplyMessage.result(result, to: request)
        guard case .reply(let reply) = try ServerMessage(line: Array(line.dropLast())) else {
            Issue.record("This is not a reply.")
            return
        }
        #expect(try TokenGet.result(of: reply) == result)
        #expect(!"\(result)".contains("t0ken"))
    }

    @Test func `a result that is not an object is the daemon's fault`() throws {
        let request = RequestMessage(method: "hello", id: RawID(1))
        guard case .reply(let reply) = try ServerMessage(line: ReplyMessage.result([1], to: request)) else {
            Issue.record("This is not a reply.")
            return
        }
        let error = #expect(throws: ProtocolError.self) { try Hello.result(of: reply) }
        #expect(error?.kind == .internalError)
    }
}

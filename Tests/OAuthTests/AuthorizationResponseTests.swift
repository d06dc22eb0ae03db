// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import Testing

@Suite struct AuthorizationResponseTests {
    private func read(_ query: String, iss: String? = "https://h", requiresIssuer: Bool = false) throws -> String {
        let expected = AuthorizationResponse.Expected(
            state: "s",
            issuer: try iss.map { try Issuer($0) },
            requiresIssuer: requiresIssuer
        )
        switch AuthorizationResponse.read(try #require(FormParameters.decode(query)), for: expected) {
        case .code(let code, let metadata):
            return "code \(code.reveal()) \(metadata.map { $0.name + "=" + $0.value })"
        case .refused(let error):
            return "refused \(error.message)"
        case .failed(let check, _):
            return "failed \(check)"
        case .ignored(let check):
            return "ignored \(check)"
        }
    }

    @Test func `a code with the right state is taken (6749-9, D1)`() throws {
        #expect(try read("state=s&code=c") == "code c []")
        #expect(try read("code=a%2Bb&state=s&iss=https%3A%2F%2Fh") == "code a+b []")
    }

    @Test func `unknown parameters are the login's metadata (6749-9)`() throws {
        let metadata = #"["session_state=1", "location=eu", "location=us"]"#
        #expect(try read("code=c&session_state=1&state=s&location=eu&location=us") == "code c \(metadata)")
    }

    @Test func `tokens in a redirect are not kept (8252-9)`() throws {
        #expect(try read("code=c&state=s&access_token=x&id_token=y&refresh_token=z") == "code c []")
        #expect(try read("state=s&access_token=x") == "ignored code")
    }

    @Test(arguments: ["code=c", "code=c&state=", "code=c&state=S", "code=c&state=ss", "error=access_denied", ""])
    func `a missing or wrong state does not end the login (8252-13, D4)`(query: String) throws {
        #expect(try read(query) == "ignored state")
    }

    @Test(arguments: [
        "state=s&state=s&code=c", "state=s&code=c&code=d", "state=s&code=c&iss=https://h&iss=https://h",
        "state=s&error=a&error=b", "state=x&state=s&code=c",
    ])
    func `a doubled parameter does not end the login (6749-9)`(query: String) throws {
        #expect(try read(query) == "ignored doubled")
    }

    @Test func `an answer without code and error does not end the login (D1)`() throws {
        #expect(try read("state=s") == "ignored code")
        #expect(try read("state=s&code=") == "ignored code")
    }

    @Test func `a no ends the login at once (6749-10, D5)`() throws {
        #expect(try read("state=s&error=access_denied") == "refused access_denied")
        #expect(
            try read("state=s&error=invalid_scope&error_description=bad%1B%5B31m%0Ascope%E2%80%AE<b>&code=c")
                == "refused invalid_scope: bad scope<b>"
        )
    }

    @Test(arguments: ["code=c", "error=access_denied"])
    func `another iss ends the login without a token request (9207-1, 9207-3, 8252-14, 9700-2)`(answer: String) throws {
        for iss in ["https://evil", "https://h/", "HTTPS://h", ""] {
            #expect(try read("state=s&\(answer)&iss=\(iss)") == "failed iss")
        }
    }

    @Test func `an iss that was promised must come (9207-2)`() throws {
        #expect(try read("state=s&code=c", requiresIssuer: true) == "failed iss")
        #expect(try read("state=s&error=x", requiresIssuer: true) == "failed iss")
        #expect(try read("state=s&code=c&iss=https://h", requiresIssuer: true) == "code c []")
    }

    @Test func `an account without an issuer has no iss check (9207-3)`() throws {
        #expect(try read("state=s&code=c&iss=https://any", iss: nil) == "code c []")
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Testing

@Suite struct AuthenticationChallengeTests {
    private func describe(_ values: String...) -> [String] {
        AuthenticationChallenge.parse(values).map { challenge in
            let parameters = challenge.parameters.map { "\($0.name)=<\($0.value)>" }
            return ([challenge.scheme] + (challenge.token68.map { ["68:" + $0] } ?? []) + parameters)
                .joined(separator: " ")
        }
    }

    @Test func `reads the example of RFC 6750 (6750-3)`() {
        #expect(
            describe(#"Bearer realm="example", error="invalid_token", error_description="The access token expired""#)
                == ["bearer realm=<example> error=<invalid_token> error_description=<The access token expired>"]
        )
    }

    @Test func `reads the example of RFC 9110 with two challenges in one field (6750-3)`() {
        #expect(
            describe(#"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#)
                == [
                    "basic realm=<simple>",
                    #"newauth realm=<apps> type=<1> title=<Login to "apps">"#,
                ]
        )
    }

    @Test func `reads the example of RFC 9470`() throws {
        let value = #"""
            Bearer error="insufficient_user_authentication", error_description="A different level is required", \#
            acr_values="myACR other", max_age="5"
            """#
        let challenge = try #require(AuthenticationChallenge.parse([value]).first)
        #expect(challenge["ACR_Values"] == "myACR other")
        #expect(challenge["max_age"] == "5")
        #expect(challenge["scope"] == nil)
    }

    @Test func `challenges of several fields follow one another`() {
        #expect(describe("Negotiate", #"Basic realm="x""#, "NTLM") == ["negotiate", "basic realm=<x>", "ntlm"])
    }

    @Test(arguments: [
        (#"BEARER Error="invalid_token""#, "bearer error=<invalid_token>"),
        ("Bearer error=invalid_token,scope=a", "bearer error=<invalid_token> scope=<a>"),
        (#"Bearer scope="a, b=c, Basic x=y", error="e""#, "bearer scope=<a, b=c, Basic x=y> error=<e>"),
        (#"Bearer realm = "x" , error= "e""#, "bearer realm=<x> error=<e>"),
        (#",, Bearer ,, realm="x",,"#, "bearer realm=<x>"),
        (#"Bearer realm="a", realm="b""#, "bearer realm=<a>"),
        ("Bearer", "bearer"), ("Bearer ", "bearer"),
        (#"Bearer realm="""#, "bearer realm=<>"),
        (#"Bearer realm="never closed, error=x"#, "bearer realm=<never closed, error=x>"),
        ("Negotiate a87421000492aa874209af8bc028==", "negotiate 68:a87421000492aa874209af8bc028=="),
        (#"Bearer a@b, error="e""#, "bearer error=<e>"),
        (#"Bearer "stray, comma", error="e""#, "bearer error=<e>"),
        ("Bearer\trealm=x", "bearer realm=<x>"),
        (#"DPoP algs="ES256 PS256", error="use_dpop_nonce""#, "dpop algs=<ES256 PS256> error=<use_dpop_nonce>"),
        (
            #"Bearer authorization_uri="https://h/?a=b,c", error="e""#,
            "bearer authorization_uri=<https://h/?a=b,c> error=<e>"
        ),
        (#"Bearer title="\\\" \a""#, #"bearer title=<\" a>"#),
        ("Bearer title=\"grüße\"", "bearer title=<grüße>"),
    ])
    func `odd but seen forms are read (6750-3)`(value: String, challenge: String) {
        #expect(describe(value) == [challenge])
    }

    @Test func `a token68 and a challenge with parameters can share a field`() {
        #expect(
            describe(#"Negotiate abc=, Bearer error="e", Basic realm="r", charset="UTF-8""#)
                == ["negotiate 68:abc=", "bearer error=<e>", "basic realm=<r> charset=<UTF-8>"]
        )
    }

    @Test(arguments: ["", " ", ",", "=", "\"", "@@", "a=b", "\\", "\"\\", "= = =", #"Bearer = x, error="e""#])
    func `nonsense holds no challenge and does no harm`(value: String) {
        #expect(describe(value) == [])
    }

    @Test func `an answer gives its challenges`() {
        var response = HTTPResponse(status: 401)
        response.headers.append("www-authenticate", #"Bearer error="insufficient_scope", scope="a b""#)
        response.headers.append("WWW-Authenticate", "Negotiate")
        #expect(response.challenges.map(\.scheme) == ["bearer", "negotiate"])
        #expect(response.challenges.first?["scope"] == "a b")
    }

    @Test(
        arguments: [
            "many parameters", "many schemes", "many spaces", "many commas", "many equal names", "an open quote",
            "many escapes", "what cannot be read",
        ]
    )
    func `a value as long as a request may be is read in a moment, whatever it holds`(kind: String) {
        let count = 256 * 1024
        let value =
            switch kind {
            case "many parameters": "Bearer " + (0..<count / 10).map { "p\($0)=1" }.joined(separator: ",")
            case "many schemes": String(repeating: "a b ", count: count / 4)
            case "many spaces": "Bearer" + String(repeating: " ", count: count) + "x"
            case "many commas": String(repeating: ",", count: count)
            case "many equal names": "Bearer " + String(repeating: "a=1,", count: count / 4)
            case "an open quote": String(repeating: "a=\"", count: count / 3)
            case "many escapes": "Bearer a=\"" + String(repeating: "\\x", count: count / 2)
            default: String(repeating: "(\"", count: count / 2)
            }
        let start = ContinuousClock.now
        let challenges = AuthenticationChallenge.parse([value])
        // A look through all parameters for each takes minutes.
        #expect(ContinuousClock.now - start < .seconds(40))
        if kind == "many parameters" { #expect(challenges.first?.parameters.count == count / 10) }
        if kind == "many equal names" { #expect(challenges.first?.parameters.count == 1) }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import Secrets
import StrictJSON
import Testing

@testable import OAuth

/// ID tokens and keys that are oddly written.
@Suite struct OddIDTokenTests {
    let signer: TokenSigner

    init() throws {
        signer = try TokenSigner()
    }

    @Test func `a claim of an odd type is missed by the check that wants it (OIDC-7)`() throws {
        var rules = try TokenSigner.rules()
        rules.authenticationClasses = ["1"]
        #expect(signer.refusal(try signer.token(["acr": ["1"]]), rules)?.check == .authenticationClass)
        rules = try TokenSigner.rules()
        rules.maxAge = 60
        #expect(signer.refusal(try signer.token(["auth_time": ["x"]]), rules)?.check == .authenticationTime)
    }

    @Test func `claims are read as leniently as is safe`() throws {
        let text = #"{"iss":"https://h","sub":"u1","aud":"app","exp":\#(now + 9),"iat":\#(now),"nonce":"n","name":"Jos"#
        func token(_ end: [UInt8]) throws -> Secret {
            Secret(try signer.key.sign(header: ["typ": 7], payload: Array(text.utf8) + end))
        }
        let rules = try TokenSigner.rules()
        #expect(signer.refusal(try token([0xE9] + Array(#"","x":1,"x":2}"#.utf8)), rules) == nil)
        #expect(
            signer.refusal(try token(Array(#"","sub":"u"#.utf8) + [0xE9] + Array(#""}"#.utf8)), rules)?.check
                == .subject
        )
    }

    @Test func `a key that cannot be read is told as that`() throws {
        let broken: JSONValue = ["keys": [["kty": "RSA", "kid": "k1", "n": "*", "e": "AQAB"]]]
        let keys = try JSONWebKeySet(broken)
        let error = #expect(throws: IDTokenError.self) {
            try IDToken.verify(compact: try signer.token(), keys: keys, rules: TokenSigner.rules())
        }
        #expect(error?.isKeyUnknown == true && error?.message.contains("is unreadable: the member 'n'") == true)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import JOSE
import OAuth
import Secrets
import StrictJSON
import Testing

@Suite struct UserInfoTests {
    private func code(_ response: HTTPResponse, subject: String? = "u1") -> OAuthError.Code? {
        do {
            _ = try UserInfo.read(response, subject: subject)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `the token goes in the header and nowhere else (6750-1)`() throws {
        let request = UserInfo.request(endpoint: try WebURL("https://h/userinfo"), accessToken: Secret("at"))
        #expect(request.method == .get)
        #expect(request.headers["Authorization"] == "Bearer at")
        #expect(request.body == nil && request.url.text == "https://h/userinfo")
    }

    @Test func `the person is read (OIDC-13)`() throws {
        let info = try UserInfo.read(.json(["sub": "u1", "email": "a@b", "name": "A\nB", "x": 1]), subject: "u1")
        #expect(info.subject == "u1" && info.identity == "a@b" && info.name == "A B")
        let other = try UserInfo.read(.json(["sub": "u9", "preferred_username": "ab", "email": 5]), subject: nil)
        #expect(other.subject == "u9" && other.identity == "ab")
    }

    @Test(arguments: [["sub": "u2"], ["sub": "U1"], [:], ["sub": 1], ["sub": ""]] as [JSONObject])
    func `another or no subject discards the answer (OIDC-13)`(body: JSONObject) {
        #expect(code(.json(body)) == .invalidDocument)
    }

    @Test func `other answers are told apart (OIDC-13, 6750-4, A8)`() {
        #expect(code(.json(["sub": "u1"], status: 401)) == .tokenRejected)
        #expect(code(HTTPResponse(status: 403)) == .unsupported)
        #expect(code(HTTPResponse(status: 503)) == .unavailable)
        #expect(code(.text("<html>", type: "text/html")) == .unavailable)
        #expect(code(.text("a.b.c", type: "application/jwt")) == .unsupported)
        #expect(code(.text(#"{"sub":"u1","sub":"u2"}"#, type: "application/json")) == .invalidDocument)
    }
}

@Suite struct KeySetDocumentTests {
    @Test func `keys that cannot be used are left out (OIDC-10)`() throws {
        let key = try SigningKey.generate(.es256)
        let set = try KeySetDocument.read(
            .json(["keys": [["kty": "AKP", "alg": "x"], ["kty": "made-up"], 5, .object(key.publicJWK)]])
        )
        #expect(set.keys.map(\.keyID) == [key.keyID])
    }

    @Test func `what is no key set is told (OIDC-10)`() {
        let answers: [(HTTPResponse, OAuthError.Code)] = [
            (HTTPResponse(status: 500), .unavailable), (.text("<html>", type: "text/html"), .unavailable),
            (.json(["keys": 1]), .invalidDocument), (.text("{", type: "application/json"), .invalidDocument),
            (.json(["keys": [], "x": .string(String(repeating: "x", count: 300_000))]), .invalidDocument),
        ]
        for (response, code) in answers {
            do {
                _ = try KeySetDocument.read(response)
                Issue.record("it was accepted")
            } catch {
                #expect(error.code == code)
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import Secrets
import StrictJSON
import Testing

/// A key as a provider would publish it, whether the text holds its private part or not.
func publicKey(_ text: String, changing changes: JSONObject = [:]) throws -> JSONWebKey {
    try JSONWebKey(publicMembers(text, changing: changes))
}

/// The members of a key without its private ones.
func publicMembers(_ text: String, changing changes: JSONObject = [:]) throws -> JSONObject {
    var members = try #require(try JSONReader().read(text).object)
    for name in ["d", "p", "q", "dp", "dq", "qi"] {
        members[name] = nil
    }
    for change in changes {
        members[change.name] = change.value.isNull ? nil : change.value
    }
    return members
}

/// A token whose parts are given as texts, with a signature that may be nobody's.
func compact(header: String, payload: String = "{}", signature: [UInt8] = [1, 2, 3]) -> String {
    [Array(header.utf8), Array(payload.utf8), signature].map { Base64URL.encode($0) }.joined(separator: ".")
}

@Suite struct JSONWebSignatureTests {
    @Test(arguments: [
        (Vectors.rfc7515A2, Vectors.rfc7515A2Key), (Vectors.rfc7515A3, Vectors.rfc7515A3Key),
        (Vectors.rfc7515A4, Vectors.rfc7515A4Key), (Vectors.rfc7520PS384, Vectors.rfc7520RSAKey),
        (Vectors.rfc7520ES512, Vectors.rfc7520ECKey), (Vectors.rfc8037A4, Vectors.rfc8037Key),
        (Vectors.otherRS384, Vectors.rfc7515A2Key), (Vectors.otherRS512, Vectors.rfc7515A2Key),
        (Vectors.otherPS256, Vectors.rfc7515A2Key), (Vectors.otherPS512, Vectors.rfc7515A2Key),
        (Vectors.otherES384, Vectors.otherP384Key),
    ])
    func `signatures of the RFCs and of another implementation verify`(token: String, key: String) throws {
        let key = try publicKey(key)
        let signature = try JSONWebSignature(compact: token)
        try signature.verify(with: key)
        let algorithm = try #require(SignatureAlgorithm(rawValue: signature.algorithmName))
        #expect(try signature.verify(with: JSONWebKeySet(keys: [key]), algorithms: [algorithm]) == key)
    }

    @Test(arguments: [
        (Vectors.rfc7515A2, Vectors.rfc7515A2Key), (Vectors.rfc7515A3, Vectors.rfc7515A3Key),
        (Vectors.rfc7520PS384, Vectors.rfc7520RSAKey), (Vectors.rfc8037A4, Vectors.rfc8037Key),
    ])
    func `one changed bit in payload or signature is found`(token: String, key: String) throws {
        let parts = token.split(separator: ".").map(String.init)
        for part in [1, 2] {
            var bytes = try #require(Base64URL.decode(parts[part]))
            bytes[bytes.count / 2] ^= 1
            var changed = parts
            changed[part] = Base64URL.encode(bytes)
            let signature = try JSONWebSignature(compact: changed.joined(separator: "."))
            let error = #expect(throws: JOSEError.self) { try signature.verify(with: publicKey(key)) }
            #expect(error?.code == .badSignature)
        }
    }

    @Test func `header and payload are read`() throws {
        let signature = try JSONWebSignature(compact: Secret(Vectors.rfc7515A2))
        #expect(signature.algorithmName == "RS256")
        #expect(signature.keyID == nil)
        #expect(signature.type == nil)
        #expect(try signature.claims()["iss"]?.string == "joe")
        #expect(String(decoding: signature.payload, as: UTF8.self).hasPrefix(#"{"iss":"joe","#))
        let named = try JSONWebSignature(compact: compact(header: #"{"typ":"JWT","alg":"ES256","kid":"k1"}"#))
        #expect(named.keyID == "k1")
        #expect(named.type == "JWT")
    }

    @Test(arguments: [
        "", ".", "..", "a.b", "a.b.c.d", "e30.e30.", "e30.e30.AQ", "e30=.e30.AQ", " e30.e30.AQ",
        compact(header: "[]"), compact(header: #"{"alg":1}"#), compact(header: #"{"alg":"ES256""#),
    ])
    func `what is no compact signature is malformed`(token: String) {
        let error = #expect(throws: JOSEError.self) { try JSONWebSignature(compact: token) }
        #expect(error?.code == .malformed)
    }

    @Test(arguments: [
        #"{"alg":"ES256","crit":["exp"],"exp":1}"#, #"{"alg":"ES256","crit":[]}"#, #"{"alg":"ES256","crit":null}"#,
        #"{"alg":"ES256","b64":false,"crit":["b64"]}"#,
    ])
    func `a header with critical extensions is refused`(header: String) {
        let error = #expect(throws: JOSEError.self) { try JSONWebSignature(compact: compact(header: header)) }
        #expect(error?.code == .criticalExtension)
    }

    @Test(arguments: ["none", "None", "", "HS256", "HS512", "RS1", "ES256K", "RSA-OAEP", "rs256", "dir"])
    func `none, symmetric and unknown algorithms are never verified`(name: String) throws {
        let header = #"{"alg":"\#(name)"}"#
        for bytes in [[], Digest.sha256(Array("x".utf8))] {
            let signature = try JSONWebSignature(compact: compact(header: header, signature: bytes))
            let key = try publicKey(Vectors.rfc7515A2Key)
            let error = #expect(throws: JOSEError.self) { try signature.verify(with: key) }
            #expect(error?.code == .algorithmNotAllowed)
        }
    }

    @Test func `only the algorithms that the caller allows are verified`() throws {
        let signature = try JSONWebSignature(compact: Vectors.otherPS256)
        let key = try publicKey(Vectors.rfc7515A2Key)
        let error = #expect(throws: JOSEError.self) { try signature.verify(with: key, algorithms: [.rs256]) }
        #expect(error?.code == .algorithmNotAllowed)
        try signature.verify(with: key, algorithms: [.rs256, .ps256])
    }

    @Test(arguments: [
        (Vectors.rfc7515A2, Vectors.rfc7515A3Key), (Vectors.rfc7515A2, Vectors.rfc8037Key),
        (Vectors.rfc7515A3, Vectors.rfc7515A2Key), (Vectors.rfc7515A3, Vectors.rfc7515A4Key),
        (Vectors.rfc7515A4, Vectors.rfc7515A3Key), (Vectors.rfc8037A4, Vectors.rfc7515A3Key),
        (Vectors.otherES384, Vectors.rfc7515A3Key),
    ])
    func `a key of another kind or curve is never tried`(token: String, key: String) throws {
        let signature = try JSONWebSignature(compact: token)
        let error = #expect(throws: JOSEError.self) { try signature.verify(with: publicKey(key)) }
        #expect(error?.code == .keyMismatch)
    }

    @Test func `a key that is meant for another algorithm is not used`() throws {
        let signature = try JSONWebSignature(compact: Vectors.otherPS256)
        let bound = try publicKey(Vectors.rfc7515A2Key, changing: ["alg": "RS256"])
        let error = #expect(throws: JOSEError.self) { try signature.verify(with: bound) }
        #expect(error?.code == .keyMismatch)
        let edwards = try publicKey(Vectors.rfc8037Key, changing: ["alg": "Ed25519"])
        try JSONWebSignature(compact: Vectors.rfc8037A4).verify(with: edwards)
    }

    @Test(arguments: [63, 65, 0, 128])
    func `an ECDSA signature of another length is bad`(count: Int) throws {
        var token = Vectors.rfc7515A3.split(separator: ".").map(String.init)
        let bytes = try #require(Base64URL.decode(token[2]))
        token[2] = Base64URL.encode(Array((bytes + bytes).prefix(count)))
        let signature = try JSONWebSignature(compact: token.joined(separator: "."))
        let error = #expect(throws: JOSEError.self) { try signature.verify(with: publicKey(Vectors.rfc7515A3Key)) }
        #expect(error?.code == .badSignature)
    }

    @Test func `an ECDSA signature of zeros is bad`() throws {
        var token = Vectors.rfc7515A3.split(separator: ".").map(String.init)
        token[2] = Base64URL.encode([UInt8](repeating: 0, count: 64))
        let signature = try JSONWebSignature(compact: token.joined(separator: "."))
        let error = #expect(throws: JOSEError.self) { try signature.verify(with: publicKey(Vectors.rfc7515A3Key)) }
        #expect(error?.code == .badSignature)
    }

    @Test func `a key in the header is not believed`() throws {
        let attacker = try SigningKey.generate(.es256)
        let token = try attacker.sign(header: ["jwk": .object(attacker.publicMembers)], payload: [])
        let keys = JSONWebKeySet(keys: [try publicKey(Vectors.rfc7515A3Key)])
        let error = #expect(throws: JOSEError.self) {
            try JSONWebSignature(compact: token).verify(with: keys, algorithms: [.es256])
        }
        #expect(error?.code == .badSignature)
    }

    @Test(arguments: [
        compact(header: #"{"alg":"ES256","kid":7}"#), compact(header: #"{"alg":"ES256","typ":null}"#),
        compact(header: #"{"alg":"ES256"} "#) + "=", compact(header: #"{"alg":"none","alg":"ES256"}"#),
    ])
    func `a header of odd types, and padding, are read`(token: String) throws {
        #expect(try JSONWebSignature(compact: token).algorithmName == "ES256")
    }

    @Test func `of doubled claims the last counts (RFC 7519, section 4)`() throws {
        let payload = #"{"sub":"a","sub":"b"}"#
        let signature = try JSONWebSignature(compact: compact(header: #"{"alg":"ES256"}"#, payload: payload))
        #expect(try signature.claims() == ["sub": "b"])
    }

    @Test func `claims must be an object`() throws {
        for payload in ["[]", "x"] {
            let signature = try JSONWebSignature(compact: compact(header: #"{"alg":"ES256"}"#, payload: payload))
            let error = #expect(throws: JOSEError.self) { try signature.claims() }
            #expect(error?.code == .malformed)
        }
    }
}

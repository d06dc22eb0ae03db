// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import StrictJSON
import Testing

@Suite struct JSONWebKeySetTests {
    private func set(_ keys: JSONValue...) throws -> JSONWebKeySet {
        try JSONWebKeySet(.object(["keys": .array(keys)]))
    }

    private func key(_ text: String, _ changes: JSONObject = [:]) throws -> JSONValue {
        .object(try publicMembers(text, changing: changes))
    }

    @Test(arguments: ["[]", "{}", "null", #"{"keys":{}}"#, #"{"keys":null}"#])
    func `what has no array of keys is no set`(text: String) {
        let error = #expect(throws: JOSEError.self) { try JSONWebKeySet(JSONReader().read(text)) }
        #expect(error?.code == .malformed)
    }

    @Test(
        arguments: [
            (["kty": "AKP", "alg": "ML-DSA-44", "pub": "AA"], .unusableKey),
            (["kty": "oct", "k": "AAAA"], .unusableKey),
            (["kty": "made-up"], .unusableKey), (["kty": 7], .malformed), (["kty": nil], .malformed),
            (["crv": "secp256k1"], .unusableKey), (["crv": "P-384"], .unusableKey), (["crv": "Ed25519"], .unusableKey),
            (["x": nil], .malformed), (["x": "A"], .malformed), (["x": "*A"], .malformed), (["x": ""], .malformed),
            (["x": "AAAA"], .unusableKey),
            (["y": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"], .unusableKey),
            (["use": "enc"], .unusableKey), (["key_ops": ["sign"]], .unusableKey),
            (["d": "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"], .unusableKey),
        ] as [(JSONObject, JOSEError.Code)]
    )
    func `an unusable key is left out and the others stay`(changes: JSONObject, code: JOSEError.Code) throws {
        let keys = try set(
            key(Vectors.rfc7515A3Key, changes),
            "no object",
            key(Vectors.rfc7515A2Key, ["kid": "good"])
        )
        #expect(keys.keys.map(\.keyID) == ["good"])
        #expect(keys.skipped.map(\.code) == [code, .malformed])
    }

    @Test(
        arguments: [
            ["key_ops": "verify"], ["kid": 1], ["alg": false], ["use": nil], ["use": ["sig"]],
            ["x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU="],
            ["y": "x/FEzRu9m36HLN/tue659LNpXW6pCyStikYjKIWI5a0="],
        ] as [JSONObject]
    )
    func `a member of an odd type or spelling refuses no key`(changes: JSONObject) throws {
        let plain = try set(key(Vectors.rfc7515A3Key)).keys.first
        let odd = try set(key(Vectors.rfc7515A3Key, changes)).keys.first
        #expect(odd != nil && odd?.thumbprint == plain?.thumbprint)
    }

    @Test(
        arguments: [
            ["e": "AQ"], ["e": "Ag"], ["e": "AQAAAAAAAAAAAQ"], ["n": "AQAB"], ["n": nil], ["e": nil], ["n": "+/8="],
        ] as [JSONObject]
    )
    func `an RSA key with odd numbers is left out`(changes: JSONObject) throws {
        #expect(try set(key(Vectors.rfc7515A2Key, changes)).keys.isEmpty)
    }

    @Test func `an RSA key of 1024 bits is left out, and leading zeros do not make it longer`() throws {
        let short = try #require(try publicMembers(Vectors.shortRSAKey)["n"]?.string)
        let padded = Base64URL.encode([UInt8](repeating: 0, count: 128) + (Base64URL.decode(short) ?? []))
        let keys = try set(key(Vectors.shortRSAKey), key(Vectors.shortRSAKey, ["n": .string(padded)]))
        #expect(keys.keys.isEmpty)
        #expect(keys.skipped.map(\.code) == [.unusableKey, .unusableKey])
    }

    @Test func `a key for verifying, marked in either way, is taken`() throws {
        let keys = try set(
            key(Vectors.rfc7515A3Key, ["use": "sig", "key_ops": ["verify"], "x5c": ["AA"], "other": 1])
        )
        #expect(keys.keys.count == 1)
        #expect(keys.skipped.isEmpty)
    }

    @Test func `more keys than the limit are not looked at`() throws {
        let many = Array(repeating: try key(Vectors.rfc8037Key), count: JSONWebKeySet.maximumKeyCount + 5)
        let keys = try JSONWebKeySet(.object(["keys": .array(many)]))
        #expect(keys.keys.count == JSONWebKeySet.maximumKeyCount)
    }

    private func outcome(_ token: String, _ keys: JSONWebKeySet) -> String {
        do {
            let signature = try JSONWebSignature(compact: token)
            return try signature.verify(with: keys, algorithms: [.es256, .rs256]).keyID ?? "no name"
        } catch {
            return error.code.rawValue
        }
    }

    @Test func `the key is the one that the header names`() throws {
        let one = try SigningKey.generate(.es256, keyID: "one")
        let two = try SigningKey.generate(.es256, keyID: "two")
        let keys = try set(.object(one.publicJWK), .object(two.publicJWK), key(Vectors.rfc7515A2Key, ["kid": "rsa"]))
        let payload = Array("{}".utf8)
        #expect(outcome(try one.sign(payload: payload), keys) == "one")
        #expect(outcome(try two.sign(payload: payload), keys) == "two")
        #expect(outcome(try two.sign(header: ["kid": "one"], payload: payload), keys) == "badSignature")
        #expect(outcome(try two.sign(header: ["kid": "new"], payload: payload), keys) == "unknownKey")
        #expect(outcome(try two.sign(header: ["kid": "rsa"], payload: payload), keys) == "keyMismatch")
        #expect(outcome(try two.sign(header: ["kid": ""], payload: payload), keys) == "unknownKey")
    }

    @Test func `without a name every fitting key is tried`() throws {
        let nameless = try #require(SigningKey(jwkText: Vectors.rfc7515A3Key))
        let other = try SigningKey.generate(.es256, keyID: "other")
        let rsa = try key(Vectors.rfc7515A2Key, ["kid": "rsa"])
        let mine = try key(Vectors.rfc7515A3Key, ["kid": "mine"])
        let token = Vectors.rfc7515A3
        #expect(try outcome(token, set(rsa, mine)) == "mine")
        #expect(try outcome(token, set(rsa, .object(other.publicJWK), mine)) == "mine")
        #expect(try outcome(token, set(rsa, .object(other.publicJWK))) == "badSignature")
        #expect(try outcome(token, set(rsa)) == "unknownKey")
        #expect(try outcome(token, set()) == "unknownKey")
        #expect(nameless.keyID == nameless.publicKey.thumbprint)
    }

    @Test func `a signature is tried with the first sixteen keys alone that may have made it`() throws {
        let mine = try key(Vectors.rfc7515A3Key, ["kid": "mine"])
        let others = try (0..<16).map { JSONValue.object(try SigningKey.generate(.es256, keyID: "\($0)").publicJWK) }
        func set(_ keys: [JSONValue]) throws -> JSONWebKeySet { try JSONWebKeySet(.object(["keys": .array(keys)])) }
        #expect(outcome(Vectors.rfc7515A3, try set(others.dropLast() + [mine])) == "mine")
        #expect(outcome(Vectors.rfc7515A3, try set(others + [mine])) == "badSignature")
    }

    @Test func `of several keys with one name the fitting one is used`() throws {
        let signer = try SigningKey.generate(.es256, keyID: "same")
        let keys = try set(key(Vectors.rfc7515A2Key, ["kid": "same"]), .object(signer.publicJWK))
        #expect(outcome(try signer.sign(payload: []), keys) == "same")
    }
}

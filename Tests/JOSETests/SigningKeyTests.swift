// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import Secrets
import StrictJSON
import Testing

extension SigningKey {
    /// A key from a JWK as text.
    init?(jwkText: String, algorithm: SignatureAlgorithm? = nil) {
        guard let key = try? SigningKey(jwk: Secret(jwkText), algorithm: algorithm) else { return nil }
        self = key
    }
}

@Suite struct SigningKeyTests {
    @Test(arguments: SignatureAlgorithm.allCases)
    func `what a new key signs verifies with its published part`(algorithm: SignatureAlgorithm) throws {
        let key = try SigningKey.generate(algorithm)
        let token = try key.sign(header: ["typ": "JWT"], claims: ["sub": "24400320"])
        let signature = try JSONWebSignature(compact: token)
        let keys = try JSONWebKeySet(.object(["keys": [.object(key.publicJWK)]]))
        #expect(keys.skipped.isEmpty)
        #expect(try signature.verify(with: keys, algorithms: [algorithm]) == key.publicKey)
        #expect(try signature.claims() == ["sub": "24400320"])
        #expect(signature.header == ["alg": .string(algorithm.rawValue), "typ": "JWT", "kid": .string(key.keyID)])
        #expect(key.keyID == key.publicKey.thumbprint)
    }

    @Test func `RS256 and EdDSA make the very signatures of RFC 7515 and RFC 8037`() throws {
        for (text, token) in [
            (Vectors.rfc7515A2Key, Vectors.rfc7515A2), (Vectors.rfc8037Key, Vectors.rfc8037A4),
        ] {
            let key = try #require(SigningKey(jwkText: text))
            let payload = try JSONWebSignature(compact: token).payload
            #expect(try key.sign(header: ["kid": nil], payload: payload) == token)
        }
    }

    @Test func `ECDSA halves keep their leading zeros`() throws {
        let key = try SigningKey.generate(.es256)
        for number in 0..<600 {
            let token = try key.sign(payload: Array("\(number)".utf8))
            let signature = try #require(token.split(separator: ".").last)
            #expect(signature.utf8.count == 86)
            try JSONWebSignature(compact: token).verify(with: key.publicKey)
        }
    }

    @Test func `the header's own alg is overruled and its kid kept`() throws {
        let key = try SigningKey.generate(.es256)
        let named = try JSONWebSignature(compact: key.sign(header: ["alg": "none", "kid": "mine"], payload: []))
        #expect(named.algorithmName == "ES256")
        #expect(named.keyID == "mine")
        let proof = try JSONWebSignature(
            compact: key.sign(header: ["typ": "dpop+jwt", "jwk": .object(key.publicMembers)], payload: [])
        )
        #expect(proof.keyID == nil)
        #expect(key.publicMembers.names.sorted() == ["crv", "kty", "x", "y"])
    }

    @Test(arguments: [SignatureAlgorithm.rs256, .es256, .es384, .es512, .eddsa])
    func `a key goes out and comes back in both forms`(algorithm: SignatureAlgorithm) throws {
        let key = try SigningKey.generate(algorithm, keyID: "name")
        let fromPEM = try SigningKey(pem: key.exportPEM(), keyID: "name")
        let fromJWK = try SigningKey(jwk: key.exportJWK())
        for copy in [fromPEM, fromJWK] {
            #expect(copy.publicKey == key.publicKey)
            #expect(copy.algorithm == algorithm)
            let token = try copy.sign(payload: [1, 2, 3])
            try JSONWebSignature(compact: token).verify(with: key.publicKey)
        }
        #expect(try key.exportPEM().reveal().hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(try !key.publicJWK.names.contains("d") && key.exportJWK().reveal().contains("\"d\""))
    }

    @Test func `PEM of OpenSSL is read in its new and old form`() throws {
        let expected = try #require(SigningKey(jwkText: Vectors.rfc7515A3Key))
        for pem in [Vectors.pkcs8PEM, Vectors.sec1PEM] {
            #expect(try SigningKey(pem: Secret(pem)).publicKey == expected.publicKey)
        }
    }

    @Test func `an RSA key signs with the algorithm that is asked for`() throws {
        let key = try #require(SigningKey(jwkText: Vectors.rfc7515A2Key, algorithm: .ps256))
        let signature = try JSONWebSignature(compact: key.sign(payload: []))
        #expect(signature.algorithmName == "PS256")
        try signature.verify(with: try publicKey(Vectors.rfc7515A2Key))
    }

    @Test(
        arguments: [
            ("", .malformed), ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", .malformed),
            (Vectors.encryptedPEM, .malformed), (Vectors.shortRSAPEM, .unusableKey), (Vectors.p256kPEM, .unusableKey),
        ] as [(String, JOSEError.Code)]
    )
    func `another PEM is refused, an encrypted one without asking`(pem: String, code: JOSEError.Code) {
        let error = #expect(throws: JOSEError.self) { try SigningKey(pem: Secret(pem)) }
        #expect(error?.code == code)
    }

    @Test func `a PEM with a public key alone is refused`() {
        #expect(throws: JOSEError.self) { try SigningKey(pem: Secret(Vectors.publicPEM)) }
    }

    @Test func `a key is refused for an algorithm that is not its own`() {
        let error = #expect(throws: JOSEError.self) {
            try SigningKey(pem: Secret(Vectors.pkcs8PEM), algorithm: .rs256)
        }
        #expect(error?.code == .keyMismatch)
    }

    @Test func `two halves of different keys are refused`() throws {
        for (text, algorithm) in [
            (Vectors.rfc7515A3Key, SignatureAlgorithm.es256), (Vectors.rfc8037Key, .eddsa),
            (Vectors.rfc7515A2Key, .rs256),
        ] {
            let other = try JSONReader().read(
                SigningKey.generate(algorithm).exportJWK().withUnsafeBytes { Array($0) }
            )
            var mixed = try #require(try JSONReader().read(text).object)
            mixed["d"] = other.object?["d"]
            let bytes = JSONWriter.bytes(.object(mixed))
            let error = #expect(throws: JOSEError.self) { try SigningKey(jwk: Secret(bytes: bytes)) }
            #expect(error?.code == .unusableKey)
        }
    }

    @Test(arguments: ["", "[]", "{}", #"{"kty":"oct","k":"AA"}"#])
    func `what is no private JWK is refused`(text: String) {
        #expect(throws: JOSEError.self) { try SigningKey(jwk: Secret(text)) }
    }

    @Test func `a public JWK is no signing key`() throws {
        let members = try publicMembers(Vectors.rfc7515A3Key)
        #expect(throws: JOSEError.self) { try SigningKey(jwk: Secret(bytes: JSONWriter.bytes(.object(members)))) }
    }

    @Test func `the description names the public key and no more`() throws {
        let key = try #require(SigningKey(jwkText: Vectors.rfc7515A3Key))
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "ES256 key \(key.keyID)")
        #expect(!dumped.contains("EVPKey"))
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import Secrets
import StrictJSON
import Testing

@Suite struct Base64URLTests {
    @Test(
        arguments: [
            ([], ""), ([0x66], "Zg"), ([0x66, 0x6F], "Zm8"), ([0x66, 0x6F, 0x6F], "Zm9v"),
            ([0xFB, 0xEF, 0xFF], "--__"),
            ([3, 236, 255, 224, 193], "A-z_4ME"),
        ] as [([UInt8], String)]
    )
    func `bytes and text stand for each other`(bytes: [UInt8], text: String) {
        #expect(Base64URL.encode(bytes) == text)
        #expect(Base64URL.decode(text) == bytes)
    }

    @Test func `every length goes there and back`() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: ["Zg==", "Zg=", "Z", "Zm9vA", "Zm 9v", "Zm9v\n", "Zm+v", "Zm/v", "Zh", "Zm9", "Zmé", "Zm.v"])
    func `padding, strange characters and unused bits are refused`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}

@Suite struct DigestTests {
    @Test(arguments: [
        ("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
        ("ks02i3jdikdo2k0dkfodf3m39rjfjsdk0wk349rj3jrhf", "2i0WFA-0AerkjQm4X4oDEhqA17QIAKNjXpagHBXmO_U"),
        ("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU", "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"),
        ("", "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"),
    ])
    func `SHA-256 gives the challenges and hashes of RFC 7636, GitLab and RFC 9449`(text: String, hash: String) {
        #expect(Base64URL.encode(Digest.sha256(Array(text.utf8))) == hash)
        #expect(Base64URL.encode(Digest.sha256(Secret(text))) == hash)
    }

    @Test func `SHA-384 and SHA-512 give the examples of FIPS 180`() {
        let abc = Array("abc".utf8)
        let long384 = "ywB1P0WjXou1oD1pmsZQBycsMqsO3tFjGotgWkP_W-2AhgcroefMI1i67KE0yCWn"
        #expect(Base64URL.encode(Digest.sha384(abc)) == long384)
        let long512 = "3a81oZNherrMQXNJriBBMRLm-k6JqX6iCp7u5ktV05ohkpkqJ0_BqDa6PCOj_uu9RU1EI2Q86A4qmslPpUyknw"
        #expect(Base64URL.encode(Digest.sha512(abc)) == long512)
    }

    @Test func `an algorithm's digest is the one for at_hash`() {
        let token = Array("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y".utf8)
        #expect(Base64URL.encode(SignatureAlgorithm.rs256.digest(token).prefix(16)) == "77QmUPtjPfzWtF2AnpK9RQ")
        #expect(SignatureAlgorithm.es384.digest(token).count == 48)
        #expect(SignatureAlgorithm.eddsa.digest(token) == Digest.sha512(token))
    }
}

@Suite struct ThumbprintTests {
    @Test(arguments: [
        (Vectors.rfc7638Key, "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"),
        (
            #"{"crv":"P-256","kty":"EC","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs","#
                + #""y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA"}"#, "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
        ),
        (
            #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
            "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
        ),
    ])
    func `thumbprints are those of RFC 7638, RFC 9449 and RFC 8037`(key: String, thumbprint: String) throws {
        #expect(try publicKey(key).thumbprint == thumbprint)
    }
}

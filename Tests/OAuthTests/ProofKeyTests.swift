// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import Testing

@testable import OAuth

@Suite struct ProofKeyTests {
    @Test func `the RFC's octets make its verifier and challenge (7636-4)`() {
        let octets: [UInt8] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214,
            191, 240, 91, 88, 5, 88, 83, 132, 141, 121,
        ]
        let key = ProofKey(entropy: octets)
        #expect(key.verifier.reveal() == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(key.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(ProofKey.method == "S256")
    }

    @Test func `GitLab's documented verifier makes its challenge (7636-4)`() {
        let key = ProofKey(verifier: "ks02i3jdikdo2k0dkfodf3m39rjfjsdk0wk349rj3jrhf")
        #expect(key.challenge == "2i0WFA-0AerkjQm4X4oDEhqA17QIAKNjXpagHBXmO_U")
    }

    @Test func `verifiers have 43 characters of the allowed ones and differ (7636-1)`() {
        var seen: Set<String> = []
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<1000 {
            let entropy = (0..<ProofKey.entropyLength).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let verifier = ProofKey(entropy: entropy).verifier.reveal()
            #expect(verifier.utf8.count == 43)
            #expect(verifier.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
            seen.insert(verifier)
        }
        #expect(seen.count == 1000)
    }

    @Test func `too little entropy is a programmer's error (7636-1, 8252-13)`() async {
        await #expect(processExitsWith: .failure) { _ = ProofKey(entropy: Array(repeating: 1, count: 31)) }
        await #expect(processExitsWith: .failure) { _ = UnguessableText.make(entropy: Array(repeating: 1, count: 15)) }
    }

    @Test func `state and nonce are base64url of their entropy (8252-13, OIDC-1)`() {
        #expect(UnguessableText.make(entropy: Array(repeating: 0xFF, count: 16)) == "_____________________w")
    }
}

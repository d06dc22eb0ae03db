// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import OAuth
import Secrets
import StrictJSON

extension FuzzTarget {
    /// A key set, a line end, a compact token; or, where there is no line end, a token against a known set.
    static func readTokens(_ bytes: [UInt8]) throws(BrokenRule) {
        let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        let compact = Secret(String(decoding: parts.last ?? [], as: UTF8.self))
        let set = parts.count == 2 ? keySet(Array(parts[0])) : known
        if let set {
            try BrokenRule.unless(set.keys.count <= JSONWebKeySet.maximumKeyCount, "a set's keys are counted")
        }
        guard let keys = set ?? known, let issuer = try? Issuer("https://idp.example") else { return }
        for key in keys.keys { _ = key.thumbprint }
        var rules = IDTokenRules(.login(nonce: "n"), issuer: issuer, clientID: "client", now: 1_300_819_000)
        rules.algorithms = SignatureAlgorithm.allCases.map(\.rawValue) + ["none", "HS256"]
        rules.accessToken = Secret("access")
        let verified = try? IDToken.verify(compact: compact, keys: keys, rules: rules)
        // Nobody signs for the known set here: its private key is nowhere.
        try BrokenRule.unless(verified == nil || parts.count == 2, "a signature is not guessed")
        _ = try? JSONWebSignature(compact: compact).claims()
    }

    /// RFC 7515, appendix A.3, and RFC 8037, appendix A.2.
    private static let known: JSONWebKeySet? = {
        let text = #"""
            {"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},
            {"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}
            """#
        return keySet(Array(text.utf8))
    }()

    private static func keySet(_ bytes: [UInt8]) -> JSONWebKeySet? {
        guard let value = try? ProviderJSON.read(bytes) else { return nil }
        return try? JSONWebKeySet(value)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import StrictJSON

/// The provider's signing keys: one in force, older ones that are still published, and what else lies in the JWKS.
struct SigningKeys {
    private(set) var current: SigningKey
    private var published: [SigningKey]
    private let stranger: SigningKey
    private let prefix: String
    private var count = 1
    /// Entries of the JWKS that no client can use, or that a test put there.
    var junk: [JSONValue] = []

    init(prefix: String) throws {
        self.prefix = prefix
        current = try SigningKey.generate(.es256, keyID: prefix + "-1")
        stranger = try SigningKey.generate(.es256, keyID: "stranger")
        published = [current]
    }

    /// Puts a new key in force; without `keepingOld` the JWKS lists that one alone.
    mutating func rotate(keepingOld: Bool, algorithm: SignatureAlgorithm) throws {
        count += 1
        current = try SigningKey.generate(algorithm, keyID: "\(prefix)-\(count)")
        if !keepingOld { published = [] }
        published.append(current)
    }

    /// The JWK set.
    var document: JSONObject {
        ["keys": .array(junk + published.map { .object($0.publicJWK) })]
    }

    /// Signs a draft as it asks to be signed.
    func sign(_ draft: IDTokenDraft) -> String? {
        var header = draft.header
        if header["kid"] == nil { header["kid"] = .string(current.keyID) }
        if let algorithm = header["alg"]?.string, algorithm != current.algorithm.rawValue {
            return Self.part(header) + "." + Self.part(draft.claims) + "."
                + Base64URL.encode([UInt8](repeating: 7, count: 32))
        }
        switch draft.signer {
        case .current: return Self.sign(header, draft.claims, with: current)
        case .stranger: return Self.sign(header, draft.claims, with: stranger)
        case .spoiled: return Self.sign(header, draft.claims, with: current).map(Self.spoil)
        case .unsigned:
            header["alg"] = "none"
            return Self.part(header) + "." + Self.part(draft.claims) + "."
        }
    }

    private static func sign(_ header: JSONObject, _ claims: JSONObject, with key: SigningKey) -> String? {
        try? key.sign(header: header, payload: JSONWriter.bytes(.object(claims)))
    }

    private static func part(_ object: JSONObject) -> String { Base64URL.encode(JSONWriter.bytes(.object(object))) }

    private static func spoil(_ token: String) -> String {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, var signature = Base64URL.decode(String(parts[2])), !signature.isEmpty else {
            return token
        }
        signature[0] ^= 1
        return parts[0] + "." + parts[1] + "." + Base64URL.encode(signature)
    }
}

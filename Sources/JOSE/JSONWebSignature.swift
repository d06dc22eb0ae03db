// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets
package import StrictJSON

/// A signature in compact form with its header and payload, not yet verified (RFC 7515, section 3.1).
///
/// Keys come from the caller alone: what a header says about where to find one (`jwk`, `jku`, `x5c`,
/// `x5u`) is never followed.
package struct JSONWebSignature: Sendable {
    /// The protected header.
    package let header: JSONObject

    /// The header's `alg` as it stands there.
    package let algorithmName: String

    /// The header's `kid`.
    package let keyID: String?

    /// The header's `typ`.
    package let type: String?

    /// What is signed; not to be believed before `verify`.
    package let payload: [UInt8]

    private let signingInput: [UInt8]
    private let signature: [UInt8]

    /// Takes the three parts apart.
    ///
    /// Refused: anything but three parts of base64url, a header that is not a JSON object with a
    /// textual `alg`, and a `crit` header, since no extension is understood (RFC 7515, section 4.1.11).
    package init(compact: Secret) throws(JOSEError) {
        try self.init(bytes: compact.withUnsafeBytes { Array($0) })
    }

    /// Takes the three parts apart.
    package init(compact: String) throws(JOSEError) {
        try self.init(bytes: Array(compact.utf8))
    }

    private init(bytes: [UInt8]) throws(JOSEError) {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let headerBytes = Base64URL.decodeLeniently(utf8: parts[0]),
            let payload = Base64URL.decodeLeniently(utf8: parts[1]),
            let signature = Base64URL.decodeLeniently(utf8: parts[2])
        else { throw JOSEError(.malformed, "the signed text does not have three parts of base64url") }
        header = try Self.readObject(headerBytes, what: "header")
        guard header["crit"] == nil else {
            throw JOSEError(.criticalExtension, "the signature needs an extension that is not known here")
        }
        algorithmName = try header.requiredText("alg")
        keyID = header.word("kid")
        type = header["typ"]?.string
        self.payload = payload
        self.signature = signature
        signingInput = Array(bytes[..<parts[1].endIndex])
    }

    /// The payload as a JSON object, which a token's is (RFC 7519, section 7.2); of doubled names the last counts
    /// (section 4).
    package func claims() throws(JOSEError) -> JSONObject { try Self.readObject(payload, what: "payload") }

    /// Verifies with the set's key that the header names, or, if it names none, with each that fits.
    ///
    /// `algorithms` are the ones that the caller allows. Returns the key that made the signature. Throws
    /// `algorithmNotAllowed`, `unknownKey` (the set may be out of date), `keyMismatch` or `badSignature`.
    @discardableResult
    package func verify(
        with keys: JSONWebKeySet,
        algorithms: Set<SignatureAlgorithm>
    ) throws(JOSEError) -> JSONWebKey {
        let algorithm = try allowedAlgorithm(algorithms)
        for key in try keys.candidates(keyID: keyID, algorithm: algorithm)
        where key.key.verifies(signature, of: signingInput, algorithm: algorithm) {
            return key
        }
        throw JOSEError(.badSignature, "the signature is not the provider's")
    }

    /// Verifies with one key, whatever `kid` says; the key must be one for the header's algorithm.
    package func verify(
        with key: JSONWebKey,
        algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases)
    ) throws(JOSEError) {
        let algorithm = try allowedAlgorithm(algorithms)
        guard key.fits(algorithm) else {
            throw JOSEError(.keyMismatch, "the key is not one for the signature's algorithm")
        }
        guard key.key.verifies(signature, of: signingInput, algorithm: algorithm) else {
            throw JOSEError(.badSignature, "the signature is not the key's")
        }
    }

    private func allowedAlgorithm(_ allowed: Set<SignatureAlgorithm>) throws(JOSEError) -> SignatureAlgorithm {
        guard let algorithm = SignatureAlgorithm(rawValue: algorithmName), allowed.contains(algorithm) else {
            throw JOSEError(.algorithmNotAllowed, "the signature's algorithm is not among the allowed ones")
        }
        return algorithm
    }

    private static func readObject(_ bytes: [UInt8], what: String) throws(JOSEError) -> JSONObject {
        do {
            guard let object = try JSONReader.lenient.read(bytes).object else {
                throw JOSEError(.malformed, "the signed text's \(what) is not an object")
            }
            return object
        } catch let error as JOSEError {
            throw error
        } catch {
            throw JOSEError(.malformed, "the signed text's \(what) is not JSON")
        }
    }
}

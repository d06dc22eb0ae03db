// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// A provider's published keys (RFC 7517, section 5).
///
/// A key that is not usable here is left out and never makes the others unusable; what was wrong with it
/// is kept for the log.
package struct JSONWebKeySet: Sendable {
    /// How many keys are looked at; what comes after them is left out.
    package static let maximumKeyCount = 128

    /// With how many keys a signature is tried where it does not say which one made it: the largest take ten milliseconds
    /// each.
    static let maximumCandidateCount = 16

    /// The usable keys, in their order.
    package let keys: [JSONWebKey]

    /// Why each other key was left out.
    package var skipped: [JOSEError] { leftOut.map(\.error) }

    private let leftOut: [(keyID: String?, error: JOSEError)]

    /// A set of these keys.
    package init(keys: [JSONWebKey]) {
        self.keys = keys
        leftOut = []
    }

    /// Reads a set; throws only if it is no object with a `keys` array.
    package init(_ value: JSONValue) throws(JOSEError) {
        guard let entries = value.object?["keys"]?.array else {
            throw JOSEError(.malformed, "the key set has no array of keys")
        }
        var keys: [JSONWebKey] = []
        var leftOut: [(keyID: String?, error: JOSEError)] = []
        for entry in entries.prefix(Self.maximumKeyCount) {
            do throws(JOSEError) {
                guard let jwk = entry.object else { throw JOSEError(.malformed, "the key is not an object") }
                keys.append(try JSONWebKey(jwk))
            } catch {
                leftOut.append((entry.object?.word("kid"), error))
            }
        }
        self.keys = keys
        self.leftOut = leftOut
    }

    /// The keys that may have made a signature with that `kid` and algorithm.
    ///
    /// With a `kid`, only keys of that name; without one, every key that fits, the first 16 of them. Throws `unknownKey` if the
    /// set has none, so that the caller may fetch it anew, and `keyMismatch` if the name is there but on
    /// another kind of key, where fetching would not help (OpenID Connect Core, section 10.1).
    func candidates(keyID: String?, algorithm: SignatureAlgorithm) throws(JOSEError) -> [JSONWebKey] {
        let named = keys.filter { keyID == nil || $0.keyID == keyID }
        let fitting = named.filter { $0.fits(algorithm) }
        guard fitting.isEmpty else { return Array(fitting.prefix(Self.maximumCandidateCount)) }
        guard keyID == nil || named.isEmpty else {
            throw JOSEError(.keyMismatch, "the key that the signature names is not one for its algorithm")
        }
        if let reason = lack(of: keyID) { throw JOSEError(.unknownKey, reason) }
        throw JOSEError(.unknownKey, "no key in the provider's set fits the signature")
    }

    /// What is wrong with the key that is wanted, where the set has it and it was left out.
    private func lack(of keyID: String?) -> String? {
        guard
            let found = leftOut.first(where: { keyID != nil && $0.keyID == keyID })
                ?? (keys.isEmpty ? leftOut.first : nil)
        else { return nil }
        let what = found.error.code == .malformed ? "unreadable" : "of no use here"
        return "the provider's key for the signature is \(what): \(found.error.message)"
    }
}

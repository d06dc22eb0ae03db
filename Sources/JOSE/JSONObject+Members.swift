// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON

/// Members of keys and headers with the form that they must have.
extension JSONObject {
    /// A member that must be there and be a string.
    func requiredText(_ name: String) throws(JOSEError) -> String {
        guard let text = self[name]?.string else {
            throw JOSEError(.malformed, "the member '\(name)' is not a string")
        }
        return text
    }

    /// A member that may be missing, but must be a string if it is there.
    func optionalText(_ name: String) throws(JOSEError) -> String? {
        self[name] == nil ? nil : try requiredText(name)
    }

    /// A name or a word that others are compared with: a string, or a number by its spelling; nil for anything else.
    func word(_ name: String) -> String? {
        self[name].flatMap { $0.string ?? $0.number?.text }
    }

    /// A member that must be there and be base64url of something, in whatever way that is written.
    func requiredBytes(_ name: String) throws(JOSEError) -> [UInt8] {
        guard let bytes = Base64URL.decodeLeniently(utf8: try requiredText(name).utf8), !bytes.isEmpty else {
            throw JOSEError(.malformed, "the member '\(name)' is not base64url")
        }
        return bytes
    }
}

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

    /// A member that must be there and be base64url of something.
    func requiredBytes(_ name: String) throws(JOSEError) -> [UInt8] {
        guard let bytes = Base64URL.decode(try requiredText(name)), !bytes.isEmpty else {
            throw JOSEError(.malformed, "the member '\(name)' is not base64url")
        }
        return bytes
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
import StrictJSON

/// The scopes that an application's server names (`scopes_from` in an account's file): a JSON list of them, or an object
/// whose `scopes` is such a list or one string with spaces between.
package enum ScopeList {
    /// The size limit.
    private static let sizeLimit = 64 * 1024

    /// Reads the answer; nil if it has no scope, as that of an older server, or any invalid one: a single wrong scope
    /// would fail every request.
    package static func read(_ response: HTTPResponse) -> Scope? {
        guard response.status == 200, response.body.count <= sizeLimit,
            let document = try? ProviderJSON.read(response.body)
        else { return nil }
        let named = document.object?["scopes"] ?? document
        guard let tokens = named.string.map({ Scope($0).tokens }) ?? strings(named), !tokens.isEmpty,
            tokens.allSatisfy(Scope.isScopeToken)
        else { return nil }
        return Scope(tokens)
    }

    private static func strings(_ value: JSONValue) -> [String]? {
        guard let elements = value.array else { return nil }
        let texts = elements.compactMap(\.string)
        return texts.count == elements.count ? texts : nil
    }
}

extension Scope {
    /// Whether it is one scope token (RFC 6749, section 3.3).
    package static func isScopeToken(_ word: String) -> Bool {
        !word.isEmpty
            && word.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }
}

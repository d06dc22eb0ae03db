// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension ProviderSettings {
    /// What a token covers that was asked for with these scopes: where scopes choose the resource, all that was granted of
    /// the first one's, whatever else was asked for.
    func covered(_ asked: String?, of granted: String) -> String {
        guard scopesChooseResource else { return asked ?? granted }
        let place = Self.resources(asked ?? granted).first
        return granted.split(separator: " ")
            .filter { Self.resource($0) == nil || Self.resource($0) == place }
            .joined(separator: " ")
    }

    /// The resources of scopes, each once.
    static func resources(_ scope: String) -> [String] {
        scope.split(separator: " ").compactMap(resource).reduce(into: []) { list, resource in
            if !list.contains(resource) { list.append(resource) }
        }
    }

    private static func resource(_ token: Substring) -> String? {
        token.lastIndex(of: "/").map { String(token[..<$0]) }
    }
}

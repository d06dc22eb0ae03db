// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

// The resources of scopes, at providers without `resource` that choose by scope (`dialect.scopes_choose_resource`): a
// scope's name begins with its resource, as in `https://graph.example/Mail.Read`, or it is a plain name for the
// provider's own resource.
extension Scope {
    /// OpenID's own scopes have no resource (OpenID Connect Core, sections 5.4 and 11).
    private static let identity: Set<String> = ["openid", "profile", "email", "address", "phone", "offline_access"]

    /// The resources of its tokens, each once, in their order; a plain name's is the empty text.
    package var resources: [String] {
        Scope(tokens.compactMap(Self.resource).map { "/" + $0 }).tokens.map { String($0.dropFirst()) }
    }

    /// The tokens of that resource, and OpenID's.
    package func of(resource: String?) -> Scope {
        Scope(tokens.filter { Self.resource(of: $0).map { $0 == resource } ?? true })
    }

    /// The tokens of `wanted` that an answer with this scope covers. Names are compared without case, and the resource
    /// may be missing on either side; one that begins with a dot (`.default`) matches any granted scope.
    package func covering(_ wanted: Scope) -> Scope {
        let names = Set(tokens.map { Self.name(of: $0) })
        let whole = Set(tokens.map { $0.lowercased() })
        return Scope(
            wanted.tokens.filter { token in
                let name = Self.name(of: token)
                let isPlain = Self.resource(of: token)?.isEmpty ?? true
                return name.hasPrefix(".") || whole.contains(token.lowercased())
                    || (isPlain ? names.contains(name) : whole.contains(name))
            }
        )
    }

    private static func resource(of token: String) -> String? {
        guard !identity.contains(token) else { return nil }
        return token.lastIndex(of: "/").map { String(token[..<$0]) } ?? ""
    }

    /// A scope's name without its resource, in lower case.
    private static func name(of token: String) -> String {
        (token.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? token).lowercased()
    }
}

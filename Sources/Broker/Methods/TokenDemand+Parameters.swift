// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import TokendProtocol

extension TokenDemand {
    /// The greatest number of resources for one token, and the greatest length of each, or of an audience, in bytes:
    /// the cache of variants stays small.
    private static let resourceLimit = 16
    private static let textLimit = 2048

    /// The requirements in a `token.get`.
    ///
    /// - Parameter account: nil if the account's file has a fault; then the request fails anyway.
    init(_ parameters: TokenGet.Parameters, of account: AccountConfiguration?) throws(ProtocolError) {
        self.init(
            minValid: parameters.minValid,
            rejected: parameters.rejected,
            fresh: parameters.fresh ?? false,
            scope: parameters.scope.map { Scope($0) }
        )
        if parameters.narrow == true, scope?.isEmpty ?? true {
            throw .invalidParams(member: "scope", "“narrow” needs “scope”, which says what the token is for")
        }
        try Self.check(parameters.resource)
        if let audience = parameters.audience, audience.isEmpty || audience.utf8.count > Self.textLimit {
            throw .invalidParams(member: "audience", "“audience” has 1 to \(Self.textLimit) bytes")
        }
        guard let account else { return }
        variant = TokenVariant(
            scope: parameters.narrow == true ? scope : nil,
            resources: parameters.resource,
            audience: parameters.audience,
            besides: account
        )
        if account.dialect.scopesChooseResource { try chooseResource(parameters, account) }
        guard variant == nil || account.exchange == nil else {
            let member = parameters.resource != nil ? "resource" : parameters.audience != nil ? "audience" : "narrow"
            throw .invalidParams(
                member: member,
                "“\(account.name)” serves its application's own token (“exchange”), of which there is one"
            )
        }
    }

    /// A scope of another resource than the account's own is a variant, if the provider's scopes choose the resource.
    private mutating func chooseResource(
        _ parameters: TokenGet.Parameters,
        _ account: AccountConfiguration
    ) throws(ProtocolError) {
        guard parameters.resource == nil, parameters.audience == nil else {
            throw .invalidParams(
                member: parameters.resource == nil ? "audience" : "resource",
                "the provider of “\(account.name)” goes by “scope” alone: ask for a scope of that resource"
            )
        }
        guard parameters.narrow != true, let scope, let wanted = scope.resources.first else { return }
        guard scope.resources.count == 1 else {
            throw .invalidParams(
                member: "scope",
                "these scopes are of several resources, and a token of “\(account.name)” is for one; ask for each alone"
            )
        }
        if wanted != account.ownResource { variant = TokenVariant(choosing: scope) }
    }

    /// RFC 8707, section 2.
    private static func check(_ resources: [String]?) throws(ProtocolError) {
        guard let resources else { return }
        guard (1...resourceLimit).contains(resources.count) else {
            throw .invalidParams(member: "resource", "“resource” is a URI, or a list of 1 to \(resourceLimit)")
        }
        for resource in resources where !FormParameters.isResource(resource) || resource.utf8.count > textLimit {
            throw .invalidParams(
                member: "resource",
                "“\(DisplayText.sanitized(resource))” is not an absolute URI without a fragment (RFC 8707, section 2)"
                    + " of up to \(textLimit) bytes"
            )
        }
    }
}

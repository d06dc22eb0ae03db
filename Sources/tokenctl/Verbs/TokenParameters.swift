// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TokendProtocol

// What a token is to be good for.
extension Flag<Bool> {
    static var narrow: Flag { Flag("--narrow", "it must cover only the named scopes") }
}

extension Flag<String> {
    static var audience: Flag { Flag("--audience", .text("NAME"), "the same, for providers that call it so") }
}

extension Flag<Int64> {
    static var minValid: Flag { Flag("--min-valid", time: "it must be valid this much longer, such as 60 or 10m") }
}

extension Flag<[String]> {
    static var scope: Flag {
        Flag("--scope", repeating: .text("SCOPE"), "the token must cover this scope; may be repeated")
    }
    static var resource: Flag { Flag("--resource", repeating: .text("URI"), "what it is for; may be repeated") }
}

extension Invocation {
    /// The scopes of all `--scope` flags; one may hold several, with spaces or commas between.
    package var scopes: [String] {
        var seen: Set<String> = []
        return (self[.scope] ?? [])
            .flatMap { $0.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init) }
            .filter { seen.insert($0).inserted }
    }
}

extension CommandContext {
    /// What the flags ask of a token of the named account: how long it holds, what it covers and what it is for.
    func tokenParameters(account: String?) throws(TokenctlError) -> TokenGet.Parameters {
        var params = TokenGet.Parameters(account: account)
        if !invocation.scopes.isEmpty { params.scope = invocation.scopes.joined(separator: " ") }
        if invocation[.narrow] {
            guard params.scope != nil else {
                throw .usage("--narrow wants --scope to say what the token is to cover")
            }
            params.narrow = true
        }
        params.resource = invocation[.resource]
        params.audience = invocation[.audience]
        params.minValid = try invocation[.minValid]
        return params
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON

// What an account is drafted from.
extension Flag<Bool> {
    static var register: Flag { Flag("--register", "have the provider register a client at the first sign-in") }
}

extension [FlagSyntax] {
    /// The flags of a verb that makes accounts, and its own.
    static func accountSettings<each Value>(and flags: repeat Flag<each Value>) -> [FlagSyntax] {
        let settings = of(
            .provider,
            .set,
            .issuer,
            .clientID,
            .register,
            .tool,
            .scope.help("what to ask for; may be repeated"),
            .redirectURI
        )
        return settings + of(repeat each flags)
    }
}

extension Flag<String> {
    static var provider: Flag { Flag("--provider", .provider, "a provider that tokend knows, such as google") }
    static var issuer: Flag {
        Flag("--issuer", .text("URL"), "the provider's issuer, such as https://login.example.com")
    }
    static var clientID: Flag {
        Flag("--client-id", .text("ID"), "the client id that the provider gave out for this program")
    }
    static var redirectURI: Flag { Flag("--redirect-uri", .text("URI"), "the redirect URI registered at the provider") }
    static var clientAuthentication: Flag {
        Flag("--client-authentication", .text("METHOD"), "how the client authenticates at the provider")
    }
    static var flow: Flag {
        Flag("--flow", .text("FLOW"), "browser, device, or client_credentials for a service account")
    }
    static var clientSecretFile: Flag { Flag("--client-secret-file", .file, "where the client secret is; - is stdin") }
    static var clientKeyFile: Flag {
        Flag("--client-key-file", .file, "where the client's private key is (PEM or JWK)")
    }
}

extension Flag<JSONObject> {
    static var set: Flag {
        let help = "what that provider's preset asks; may be repeated"
        let syntax = FlagSyntax("--set", value: .text("NAME=VALUE"), repeats: true, help)
        return Flag(syntax) { texts throws(TokenctlError) in
            var set: JSONObject = [:]
            for text in texts {
                let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2, text.first != "=" else { throw .usage("--set wants NAME=VALUE") }
                guard set[parts[0]] == nil else {
                    throw .usage("--set \(TerminalText.sanitized(parts[0])) was given twice")
                }
                set[parts[0]] = .string(parts[1])
            }
            return set
        }
    }
}

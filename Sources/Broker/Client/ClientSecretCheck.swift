// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import JOSE
import OAuth
import Secrets
import StrictJSON
import TokendProtocol

/// Checks a client's secret when it is given, not at the next sign-in.
enum ClientSecretCheck {
    /// - Parameter member: the parameter that an error names.
    /// - Throws: `config_invalid` if the account authenticates in another way, `invalid_params` if the value cannot be
    ///   of its kind.
    static func check(
        _ kind: ClientSecretKind,
        _ value: Secret,
        for account: AccountConfiguration,
        member: String
    ) throws(ProtocolError) {
        guard isUsed(kind, by: account) else { throw unused(kind, account) }
        guard kind == .clientKey else {
            guard isOneLine(value) else {
                throw .invalidParams(member: member, "the \(kind.title) must be one line of text that is not empty")
            }
            return
        }
        do throws(JOSEError) {
            _ = try SigningKey(clientKey: value)
        } catch {
            throw .invalidParams(member: member, "the client key cannot be used: \(reason(value, error))")
        }
    }

    private static func isUsed(_ kind: ClientSecretKind, by account: AccountConfiguration) -> Bool {
        switch kind {
        case .clientSecret: account.clientAuthentication.usesSecret && !account.registersClient
        case .clientKey: account.clientAuthentication == .privateKeyJWT
        case .initialAccessToken: account.registersClient
        }
    }

    private static func unused(_ kind: ClientSecretKind, _ account: AccountConfiguration) -> ProtocolError {
        let method = account.clientAuthentication.rawValue
        let why =
            switch kind {
            case .clientSecret where account.registersClient:
                "the client of “\(account.name)” is registered at sign-in, and the provider gives its secret out then"
            case .clientSecret:
                "“\(account.name)” authenticates with “\(method)”, which sends no client secret; set "
                    + "client_authentication in \(account.file) to client_secret_basic or client_secret_post, as the "
                    + "provider has it"
            case .clientKey:
                "“\(account.name)” authenticates with “\(method)”, which needs no key; set client_authentication "
                    + "in \(account.file) to private_key_jwt"
            case .initialAccessToken:
                "the client of “\(account.name)” is in its file, so none is registered; take client_id out to register "
                    + "one at sign-in"
            }
        return ProtocolError(
            .configInvalid,
            why,
            data: [
                "file": .string(account.file),
                "member": kind == .initialAccessToken ? "client_id" : "client_authentication",
            ]
        )
    }

    private static func isOneLine(_ value: Secret) -> Bool {
        !value.isEmpty && value.withUnsafeBytes { bytes in bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
    }

    /// The fault of a key, if it can be stated better than by the library.
    private static func reason(_ value: Secret, _ error: JOSEError) -> String {
        let text = value.reveal()
        if text.contains(text: "ENCRYPTED") {
            return "it is encrypted; give it without a passphrase, it is kept in the secret store"
        }
        if text.contains(text: "BEGIN PUBLIC KEY") || text.contains(text: "BEGIN CERTIFICATE") {
            return "it is the public part; the private key is needed"
        }
        return error.message
    }
}

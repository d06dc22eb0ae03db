// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import OAuth
import Secrets
import StrictJSON
import TokendProtocol

/// What an account's client authenticates with, as found in the secret store.
enum ClientCredential {
    case none
    case secret(Secret)
    case key(SigningKey)
}

/// Why a client cannot authenticate.
enum ClientFault: Error {
    /// The store did not answer.
    case store(StoreError)
    /// The store has nothing usable: the user must supply it.
    case configuration(ProtocolError)

    /// The error as a client of the daemon gets it.
    var protocolError: ProtocolError {
        switch self {
        case .store(let error): error.protocolError
        case .configuration(let error): error
        }
    }
}

extension ClientFault {
    /// The store has no such secret, or one that was given for another destination.
    static func missing(
        _ kind: ClientSecretKind,
        _ account: AccountConfiguration,
        isElsewhere: Bool
    ) -> ClientFault {
        let method = account.clientAuthentication.rawValue
        let command = "tokenctl account secret \(account.name)" + (kind == .clientKey ? " --kind client_key" : "")
        let why =
            isElsewhere
            ? "the \(kind.title) in the secret store was given for another client or provider, and is sent nowhere else"
            : "the secret store has no \(kind.title) for it"
        return fault(account, "“\(account.name)” authenticates with \(method), and \(why); give it with: \(command)")
    }

    /// The key in the store cannot sign.
    static func unusableKey(_ account: AccountConfiguration, _ reason: String) -> ClientFault {
        fault(
            account,
            "the client key of “\(account.name)” cannot be used: \(reason); give another one with: "
                + "tokenctl account secret \(account.name) --kind client_key"
        )
    }

    /// The registration that a grant was made with is no longer in the store.
    static func unregistered(_ account: AccountConfiguration) -> ClientFault {
        fault(
            account,
            "the secret store has no registration of the client that “\(account.name)” signed in with; sign in again "
                + "with: tokenctl login \(account.name)"
        )
    }

    private static func fault(_ account: AccountConfiguration, _ message: String) -> ClientFault {
        .configuration(
            ProtocolError(
                .configInvalid,
                message,
                data: ["file": .string(account.file), "member": "client_authentication"]
            )
        )
    }
}

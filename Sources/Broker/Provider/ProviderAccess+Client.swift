// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import JOSE
import OAuth
import Secrets
import StrictJSON
import TokendProtocol

extension ProviderAccess {
    /// The client authentication of one request: only by the method of the account's file, with the secret store's
    /// secret or key for it (RFC 6749, section 2.3).
    ///
    /// Used at every endpoint that requires it: token, revocation, introspection, device authorization, pushed
    /// requests. An assertion is made anew for each call and used once.
    ///
    /// - Throws: `config_invalid` if the store has no usable secret or key, with how to supply it; the store's error if
    ///   it is locked or unavailable.
    func authentication() async throws(ProtocolError) -> ClientAuthentication {
        let credential: ClientCredential
        do throws(ClientFault) {
            credential = if let held = self.credential { held } else { try await foundCredential() }
        } catch {
            throw error.protocolError
        }
        switch (credential, account.clientAuthentication) {
        case (.secret(let secret), .clientSecretPost): return .clientSecretPost(secret)
        case (.secret(let secret), _):
            return account.encodesBasic ? .clientSecretBasic(secret) : .clientSecretBasicUnencoded(secret)
        case (.key(let key), _): return .privateKeyJWT(assertion: try await assertion(key))
        case (.none, _): return .none
        }
    }

    /// The same client with its credential loaded: for a flow that must know before it begins that it can authenticate,
    /// and that must not read the store again.
    func identified() async throws(ClientFault) -> ProviderAccess {
        var access = self
        access.credential = try await foundCredential()
        return access
    }

    private func foundCredential() async throws(ClientFault) -> ClientCredential {
        let method = account.clientAuthentication
        guard method != .none else { return .none }
        let record: ClientRecord
        do throws(StoreError) {
            record = try await credentials.record(of: account.name)
        } catch {
            throw error.code == .unreadable
                ? .missing(method.usesSecret ? .clientSecret : .clientKey, account, isElsewhere: false) : .store(error)
        }
        if account.registersClient, method.usesSecret {
            let registration = record.registrations.last { $0.clientID == account.clientID }
            guard let secret = registration?.clientSecret else { throw .unregistered(account) }
            return .secret(secret)
        }
        let kind: ClientSecretKind = method.usesSecret ? .clientSecret : .clientKey
        guard let given = record[kind] else { throw .missing(kind, account, isElsewhere: false) }
        guard given.destination == credentials.destination(of: account) else {
            throw .missing(kind, account, isElsewhere: true)
        }
        guard kind == .clientKey else { return .secret(given.value) }
        do throws(JOSEError) {
            return .key(try SigningKey(clientKey: given.value))
        } catch {
            throw .unusableKey(account, error.message)
        }
    }

    /// The public part of the client's key, for its registration.
    func publicKey() async throws(ClientFault) -> JSONObject? {
        guard case .key(let key) = try await foundCredential() else { return nil }
        return key.publicJWK
    }

    /// The token that lets the client register itself, if a user gave one for this provider.
    func initialAccessToken() async throws(ClientFault) -> Secret? {
        let record: ClientRecord
        do throws(StoreError) {
            record = try await credentials.record(of: account.name)
        } catch {
            if error.code == .unreadable { return nil }
            throw .store(error)
        }
        guard let given = record.initialAccessToken, given.destination == credentials.destination(of: account) else {
            return nil
        }
        return given.value
    }

    /// Records that the provider no longer knows the registered client, so that the next sign-in registers another one;
    /// if the store refuses, the next refusal tries again.
    func noteRefusal(_ body: OAuthErrorBody) async {
        guard account.registersClient, !account.clientID.isEmpty, body.refusesClient else { return }
        try? await credentials.change(account) { record in
            for index in record.registrations.indices where record.registrations[index].clientID == account.clientID {
                record.registrations[index].isRefused = true
            }
        }
    }

    /// RFC 7523, section 3: the audience is the token endpoint, which every provider accepts.
    private func assertion(_ key: SigningKey) async throws(ProtocolError) -> Secret {
        let metadata = try await directory.metadata(for: account, wire: wire)
        do throws(OAuthError) {
            return try ClientAssertion.make(
                key: key,
                clientID: account.clientID,
                audience: try metadata.require(\.tokenEndpoint, named: "token_endpoint").text,
                now: clock.now.wall,
                entropy: entropy.bytes(UnguessableText.entropyLength)
            )
        } catch {
            throw error.protocolError
        }
    }
}

extension SigningKey {
    /// Reads a client's private key, as PEM or as a JWK.
    init(clientKey: Secret) throws(JOSEError) {
        let first = clientKey.withUnsafeBytes { bytes in
            bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        }
        if first == UInt8(ascii: "{") {
            try self.init(jwk: clientKey)
        } else {
            try self.init(pem: clientKey)
        }
    }
}

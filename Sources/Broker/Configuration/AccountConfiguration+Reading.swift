// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import TokendProtocol

extension AccountConfiguration {
    /// Reads an account's file.
    ///
    /// - Parameter presets: what the account may build on.
    /// - Parameter digestOfFile: the SHA-256, in hexadecimal, of a file that the account names (a CA); nil where it
    ///   cannot be read.
    /// - Throws: every fault that was found, at least one.
    package static func read(
        name: String,
        source: ConfigurationSource,
        presets: ProviderPresets = .builtIn,
        digestOfFile: (String) -> String?
    ) throws(ConfigurationFaults) -> AccountConfiguration {
        var reader = try presets.reader(of: source)
        if !AccountName.isValid(name) {
            reader.add([ConfigurationFault(file: source.file, message: AccountName.fault(of: name))])
        }
        var account = AccountConfiguration(name: name, issuer: nil, clientID: "")
        account.file = source.file
        account.readProvider(from: &reader)
        account.readRequests(from: &reader)
        account.readExchange(from: &reader)
        account.scopesFrom = endpoint("scopes_from", from: &reader)
        account.readTLS(from: &reader, digestOfFile: digestOfFile)
        if var inner = reader.inner("dialect") {
            account.dialect = ProviderDialect(reading: &inner)
            reader.add(inner.faults)
        }
        if var refresh = reader.inner("refresh") {
            account.refresh = RefreshSettings(reading: &refresh)
            reader.add(refresh.faults)
        }
        account.policy = AccountPolicy(reading: &reader)
        refuseUnbuilt(in: &reader)
        reader.finish()
        guard reader.faults.isEmpty else { throw ConfigurationFaults(reader.faults) }
        return account
    }

    private mutating func readProvider(from reader: inout MemberReader) {
        let template = reader.string("issuer_template")
        if let text = reader.string("issuer") {
            do { issuer = try Issuer(text, template: template) } catch { reader.fault("issuer", error.message) }
        }
        if var inner = reader.inner("endpoints") {
            readEndpoints(from: &inner)
            reader.add(inner.faults)
        }
        flow = reader.word("flow", as: AccountFlow.self) ?? flow
        let beginning = flow == .device ? endpoints.deviceAuthorization : endpoints.authorization
        if !reader.has("issuer"), beginning == nil || endpoints.token == nil {
            reader.fault("issuer", "is missing: name the provider's issuer, such as \"https://login.example.com\"")
        }
        readClient(from: &reader)
    }

    private mutating func readClient(from reader: inout MemberReader) {
        clientID = reader.string("client_id") ?? ""
        registersClient = !reader.has("client_id")
        if reader.value("client_authentication")?.string == "tls_client_auth" {
            reader.fault("client_authentication", Self.notBuilt)
        } else {
            clientAuthentication =
                reader.word("client_authentication", as: ClientAuthenticationMethod.self) ?? clientAuthentication
        }
        if let word = reader.word("client_secret_encoding", as: SecretEncoding.self) { encodesBasic = word == .form }
        if !encodesBasic, clientID.contains(":") {
            reader.fault("client_secret_encoding", "must be form: a client_id with a colon ends early otherwise")
        }
        if flow == .clientCredentials, clientAuthentication == .none {
            reader.fault(
                "flow",
                "client_credentials needs client authentication: set client_authentication (RFC 6749, section 4.4)"
            )
        }
        // If the provider registers clients, its metadata shows it at sign-in.
        if registersClient, !flow.hasUser || (issuer == nil && endpoints.registration == nil) {
            reader.fault("client_id", "is missing: register an application at the provider and put its client ID here")
        }
    }

    private mutating func readEndpoints(from reader: inout MemberReader) {
        endpoints.authorization = Self.endpoint("authorization", from: &reader)
        endpoints.token = Self.endpoint("token", from: &reader)
        endpoints.revocation = Self.endpoint("revocation", from: &reader)
        endpoints.introspection = Self.endpoint("introspection", from: &reader)
        endpoints.userinfo = Self.endpoint("userinfo", from: &reader)
        endpoints.endSession = Self.endpoint("end_session", from: &reader)
        endpoints.jwks = Self.endpoint("jwks", from: &reader)
        endpoints.deviceAuthorization = Self.endpoint("device_authorization", from: &reader)
        endpoints.pushedAuthorization = Self.endpoint("pushed_authorization", from: &reader)
        endpoints.registration = Self.endpoint("registration", from: &reader)
        reader.finish()
    }

    /// An https URL, or http on a loopback address.
    static func endpoint(_ name: String, from reader: inout MemberReader) -> WebURL? {
        guard let text = reader.string(name) else { return nil }
        guard let url = try? WebURL(text) else {
            reader.fault(name, "is not an absolute URL")
            return nil
        }
        guard url.scheme == "https" || (url.scheme == "http" && url.isLoopback) else {
            reader.fault(name, "must be https (http is accepted on loopback addresses alone)")
            return nil
        }
        guard url.fragment == nil else {
            reader.fault(name, "must not have a fragment (RFC 6749, section 3.1)")
            return nil
        }
        guard let query = url.queryParameters, !query.contains(where: { SecretWords.occur(in: $0.name) }) else {
            reader.fault(name, "holds a secret, or what looks like one; \(SecretWords.advice)")
            return nil
        }
        return url
    }

    private mutating func readRequests(from reader: inout MemberReader) {
        let words = reader.strings("scopes") ?? []
        for word in words where !Scope.isScopeToken(word) {
            reader.fault("scopes", "“\(DisplayText.sanitized(word))” is not one scope (RFC 6749, section 3.3)")
        }
        asksOfflineAccess = reader.bool("offline_access") ?? asksOfflineAccess
        asksConsent = reader.bool("consent_prompt")
        trustedAudiences = reader.strings("trusted_audiences").map { Set($0) }
        scopes = asksOfflineAccess ? Scope(words) : Scope(words).subtracting(["offline_access"])
        resource = reader.strings("resource", orString: true) ?? []
        for text in resource where !FormParameters.isResource(text) {
            reader.fault(
                "resource",
                "“\(DisplayText.sanitized(text))” is not an absolute URI without a fragment (RFC 8707, section 2)"
            )
        }
        audience = reader.string("audience")
        push = reader.word("par", as: PushPolicy.self) ?? push
        readRedirects(from: &reader)
        postLogoutRedirect = Self.postLogoutRedirect(from: &reader)
        if var inner = reader.inner("authorization_parameters") {
            authorizationParameters = Self.parameters(from: &inner, AuthorizationRequest.reservedParameters)
            let mode = authorizationParameters["response_mode"]
            if let mode, !["query", "form_post"].contains(mode) {
                inner.fault("response_mode", "must be query or form_post: no other answer reaches tokend")
            }
            reader.add(inner.faults)
        }
        if var inner = reader.inner("token_parameters") {
            tokenParameters = Self.parameters(from: &inner, TokenRequest.reservedParameters)
            reader.add(inner.faults)
        }
        if var inner = reader.inner("token_headers") {
            tokenHeaders = Self.headers(from: &inner)
            reader.add(inner.faults)
        }
    }

    /// The user's own headers; those that hold secrets, and those that HTTP or the protocol sets, are faults.
    private static func headers(from reader: inout MemberReader) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for (name, value) in reader.pairs() {
            if SecretWords.occur(in: name) {
                reader.fault(name, "would put a secret into a file; \(SecretWords.advice)")
            } else if TokenRequest.reservedHeaders.contains(name.lowercased()) {
                reader.fault(name, "is set by the protocol itself and cannot be changed")
            } else if !HTTPHeaders.isFieldName(name) || value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
                reader.fault(name, "is not an HTTP header")
            } else {
                headers.append(name, value)
            }
        }
        return headers
    }

    private mutating func readRedirects(from reader: inout MemberReader) {
        guard let texts = reader.strings("redirect_uri", orString: true) else { return }
        if texts.isEmpty {
            reader.fault("redirect_uri", "is an empty list; leave it out to use a port on this machine")
        }
        for text in texts {
            do throws(OAuthError) {
                redirects.append(try RedirectURI(text))
            } catch {
                reader.fault("redirect_uri", error.message)
            }
        }
    }

    /// The user's own parameters; those that look like secrets, and those that the protocol sets, are faults.
    private static func parameters(from reader: inout MemberReader, _ reserved: Set<String>) -> FormParameters {
        var parameters = FormParameters()
        for (name, value) in reader.pairs() {
            if SecretWords.occur(in: name) {
                reader.fault(name, "would put a secret into a file; \(SecretWords.advice)")
            } else if reserved.contains(name) {
                reader.fault(name, "is set by the protocol itself and cannot be changed")
            } else {
                parameters.append(name, value)
            }
        }
        return parameters
    }

    private mutating func readTLS(from reader: inout MemberReader, digestOfFile: (String) -> String?) {
        guard var inner = reader.inner("tls") else { return }
        caFile = inner.string("ca_file")
        if let caFile {
            caDigest = inner.digest(of: caFile, named: "ca_file", digestOfFile)
        }
        for name in ["client_certificate", "client_key"] where inner.value(name) != nil {
            inner.fault(name, Self.notBuilt)
        }
        inner.finish()
        reader.add(inner.faults)
    }

    static let notBuilt = "is not built yet in this version of tokend"
}

/// How the two parts of a Basic header are written; the `client_secret_encoding` of an account's file.
private enum SecretEncoding: String, CaseIterable {
    case form
    case raw
}

extension AccountName {
    /// Why `name` is invalid; the name is untrusted text.
    static func fault(of name: String, as whose: String = "an account's") -> String {
        "“\(DisplayText.sanitized(name))” cannot be \(whose) name: it must begin with a letter or digit, "
            + "and hold letters, digits and ._@- only, at most 64"
    }
}

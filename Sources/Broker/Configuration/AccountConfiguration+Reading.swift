// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import TokendProtocol

extension AccountConfiguration {
    /// Reads an account's file.
    ///
    /// - Parameter digestOfFile: the SHA-256, in hexadecimal, of a file that the account names (a CA); nil where it
    ///   cannot be read.
    /// - Throws: every fault that was found, at least one.
    package static func read(
        name: String,
        source: ConfigurationSource,
        digestOfFile: (String) -> String?
    ) throws(ConfigurationFaults) -> AccountConfiguration {
        let object = try source.object()
        var reader = MemberReader(object, source: source)
        if !AccountName.isValid(name) {
            reader.add([
                ConfigurationFault(
                    file: source.file,
                    message: "“\(DisplayText.sanitized(name))” cannot be an account's name: "
                        + "letters, digits and ._@- only, at most 64"
                )
            ])
        }
        var account = AccountConfiguration(name: name, issuer: nil, clientID: "")
        account.readProvider(from: &reader)
        account.readRequests(from: &reader)
        account.readTLS(from: &reader, digestOfFile: digestOfFile)
        if var refresh = reader.inner("refresh") {
            account.refresh = RefreshSettings(reading: &refresh)
            reader.add(refresh.faults)
        }
        refuseUnbuilt(in: &reader)
        reader.finish()
        guard reader.faults.isEmpty else { throw ConfigurationFaults(reader.faults) }
        return account
    }

    private mutating func readProvider(from reader: inout MemberReader) {
        if let text = reader.string("issuer") {
            do { issuer = try Issuer(text) } catch { reader.fault("issuer", error.message) }
        }
        if var inner = reader.inner("endpoints") {
            readEndpoints(from: &inner)
            reader.add(inner.faults)
        }
        if !reader.has("issuer"), !reader.has("provider"), endpoints.authorization == nil || endpoints.token == nil {
            reader.fault("issuer", "is missing: name the provider's issuer, such as \"https://login.example.com\"")
        }
        clientID = reader.string("client_id") ?? ""
        if !reader.has("client_id") {
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
        for name in ["device_authorization", "pushed_authorization"] where reader.value(name) != nil {
            reader.fault(name, Self.notBuilt)
        }
        reader.finish()
    }

    /// An https URL, or http on a loopback address.
    private static func endpoint(_ name: String, from reader: inout MemberReader) -> WebURL? {
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
        return url
    }

    private mutating func readRequests(from reader: inout MemberReader) {
        let words = reader.strings("scopes") ?? []
        for word in words where !Self.isScopeToken(word) {
            reader.fault("scopes", "“\(DisplayText.sanitized(word))” is not one scope (RFC 6749, section 3.3)")
        }
        scopes = Scope(words)
        resource = reader.strings("resource", orString: true) ?? []
        audience = reader.string("audience")
        readRedirects(from: &reader)
        authorizationParameters = Self.parameters(
            "authorization_parameters",
            reserved: AuthorizationRequest.reservedParameters,
            from: &reader
        )
        tokenParameters = Self.parameters(
            "token_parameters",
            reserved: TokenRequest.reservedParameters,
            from: &reader
        )
        for pair in reader.stringMap("token_headers") ?? [] {
            if TokenRequest.reservedHeaders.contains(pair.name.lowercased()) {
                reader.fault(
                    "token_headers",
                    "“\(DisplayText.sanitized(pair.name))” cannot be set here; \(Self.secretsBelong)"
                )
            } else if !HTTPHeaders.isFieldName(pair.name)
                || pair.value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
            {
                reader.fault("token_headers", "“\(DisplayText.sanitized(pair.name))” is not an HTTP header")
            } else {
                tokenHeaders.append(pair.name, pair.value)
            }
        }
    }

    /// RFC 6749, section 3.3.
    private static func isScopeToken(_ word: String) -> Bool {
        !word.isEmpty
            && word.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }

    private mutating func readRedirects(from reader: inout MemberReader) {
        guard let texts = reader.strings("redirect_uri", orString: true) else { return }
        if texts.isEmpty { reader.fault("redirect_uri", "names no way home; leave it out for the loopback listener") }
        for text in texts {
            do throws(OAuthError) {
                let redirect = try RedirectURI(text)
                guard case .loopback = redirect.kind else {
                    reader.fault(
                        "redirect_uri",
                        "“\(DisplayText.sanitized(text))” \(Self.notBuilt); use http://127.0.0.1"
                    )
                    continue
                }
                redirects.append(redirect)
            } catch {
                reader.fault("redirect_uri", error.message)
            }
        }
    }

    /// Parameters of the person's own; those that look like secrets, and those that the protocol sets, are faults.
    private static func parameters(
        _ name: String,
        reserved: Set<String>,
        from reader: inout MemberReader
    ) -> FormParameters {
        var parameters = FormParameters()
        for pair in reader.stringMap(name) ?? [] {
            let shown = DisplayText.sanitized(pair.name)
            if reserved.contains(pair.name) {
                reader.fault(name, "“\(shown)” is set by the protocol itself and cannot be changed")
            } else if secretWords.contains(where: pair.name.lowercased().contains) {
                reader.fault(name, "“\(shown)” would put a secret into a file; \(secretsBelong)")
            } else {
                parameters.append(pair.name, pair.value)
            }
        }
        return parameters
    }

    private mutating func readTLS(from reader: inout MemberReader, digestOfFile: (String) -> String?) {
        guard var inner = reader.inner("tls") else { return }
        caFile = inner.string("ca_file")
        if let caFile {
            caDigest = digestOfFile(caFile)
            if caDigest == nil {
                inner.fault("ca_file", "“\(DisplayText.sanitized(caFile))” cannot be read")
            }
        }
        for name in ["client_certificate", "client_key"] where inner.value(name) != nil {
            inner.fault(name, Self.notBuilt)
        }
        inner.finish()
        reader.add(inner.faults)
    }

    static let notBuilt = "is not built yet in this version of tokend"
    private static let secretsBelong = "secrets belong in the secret store"
    private static let secretWords = [
        "secret", "password", "passwd", "assertion", "api_key", "apikey", "private_key", "refresh_token",
        "access_token",
    ]
}

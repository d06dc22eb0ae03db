// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Testing
import TokendProtocol

@testable import Broker

/// An account's file, member for member.
@Suite struct AccountConfigurationTests {
    static let path = "/home/u/.config/tokend/accounts/work.json5"

    /// Reads a file; a file that can be digested is `/ca.pem`.
    static func read(_ text: String, name: String = "work") throws(ConfigurationFaults) -> AccountConfiguration {
        try AccountConfiguration.read(
            name: name,
            source: ConfigurationSource(file: path, bytes: Array(text.utf8)),
            digestOfFile: { $0 == "/ca.pem" ? "d1" : nil }
        )
    }

    /// The faults of a file; none for a good one.
    static func faults(_ text: String, name: String = "work") -> [ConfigurationFault] {
        do throws(ConfigurationFaults) {
            _ = try read(text, name: name)
            return []
        } catch {
            return error.list
        }
    }

    @Test func `every setting that is built is read`() throws {
        let account = try Self.read(
            """
            // The mail at work.
            {
              issuer: "https://login.example.com/",
              endpoints: {
                authorization: "https://a.example/authorize?x=1", token: "http://127.0.0.1:8080/token",
                revocation: "https://a.example/revoke", introspection: "https://a.example/introspect",
                userinfo: "https://a.example/userinfo", end_session: "https://a.example/end",
                jwks: 'https://a.example/jwks', device_authorization: "https://a.example/device",
                pushed_authorization: "https://a.example/par",
              },
              client_id: "app", client_authentication: "none",
              scopes: ["openid", "email", "openid"], resource: "https://api.example", audience: "api",
              flow: "browser", redirect_uri: ["http://127.0.0.1:8123/cb", "http://localhost/cb"],
              authorization_parameters: { access_type: "offline", prompt: "consent", response_mode: "query" },
              token_parameters: { tenant: "1" }, token_headers: { "X-Tenant": "1", Origin: "https://app.example" },
              refresh: { policy: "on_demand", margin: 60, at_start_within: 0, keep_alive: 3600, forced_gap: 0 },
              scopes_from: "https://app.example/scopes.json",
              exchange: { url: "https://app.example/session", subject: "access_token", field: "t", token: "a.b" },
              post_logout_redirect_uri: "http://127.0.0.1:8400/signed-out",
              dpop: "never", par: "never", allow: ["*"], administration: ["*"], confirm: "never",
              tls: { ca_file: "/ca.pem" }, offline_access: false, consent_prompt: false,
              trusted_audiences: ["246", "other@project"],
            }
            """
        )
        #expect(!account.asksOfflineAccess && account.asksConsent == false)
        #expect(account.trustedAudiences == ["246", "other@project"])
        #expect(account.push == .never && account.endpoints.pushedAuthorization?.path == "/par")
        #expect(account.scopesFrom?.host == "app.example" && account.postLogoutRedirect?.url.port == 8400)
        let exchange = account.exchange
        #expect(exchange?.url.path == "/session" && exchange?.subject == .accessToken && exchange?.field == "t")
        #expect(exchange?.token == "a.b" && exchange?.expiresIn == "expires_in")
        #expect(account.name == "work" && account.file == Self.path && account.clientID == "app")
        #expect(
            account.issuer?.text == "https://login.example.com/" && account.issuerName == "https://login.example.com/"
        )
        #expect(account.endpoints.authorization?.text == "https://a.example/authorize?x=1")
        #expect(account.endpoints.token?.text == "http://127.0.0.1:8080/token")
        #expect(
            account.endpoints.revocation?.path == "/revoke" && account.endpoints.introspection?.path == "/introspect"
        )
        #expect(account.endpoints.userinfo?.path == "/userinfo" && account.endpoints.endSession?.path == "/end")
        #expect(account.endpoints.jwks?.path == "/jwks" && account.endpoints.deviceAuthorization?.path == "/device")
        #expect(account.flow == .browser)
        #expect(account.scopes.text == "openid email" && account.resource == ["https://api.example"])
        #expect(account.audience == "api" && account.redirects.map(\.url.text).count == 2)
        #expect(account.authorizationParameters["access_type"] == "offline" && account.tokenParameters["tenant"] == "1")
        #expect(account.tokenHeaders["x-tenant"] == "1")
        #expect(
            account.refresh.policy == .onDemand && account.refresh.margin == 60 && account.refresh.atStartWithin == 0
        )
        #expect(account.refresh.keepAlive == 3600 && account.refresh.forcedGap == 0)
        #expect(account.caFile == "/ca.pem" && account.caDigest == "d1")
    }

    @Test func `the defaults are the documented ones, and null is as good as nothing`() throws {
        let short = try Self.read(#"{ issuer: "https://i.example", client_id: "c" }"#)
        let long = try Self.read(
            """
            { issuer: "https://i.example", client_id: "c", provider: null, endpoints: null, scopes: null, resource: null,
              audience: null, redirect_uri: null, authorization_parameters: null, token_parameters: {},
              token_headers: null, tls: { ca_file: null, client_certificate: null, client_key: null }, exchange: null,
              scopes_from: null, resource: [], refresh: { policy: "always", margin: null, at_start_within: 86400,
              keep_alive: 259200, forced_gap: 60 }, dpop: null, par: "auto",
              offline_access: true, consent_prompt: null, trusted_audiences: null }
            """.replacing("resource: null,", with: "")
        )
        #expect(short == long)
        #expect(short.refresh == RefreshSettings() && short.redirects.isEmpty && short.scopes.isEmpty)
    }

    @Test func `offline_access that is switched off leaves the scopes, also those of a preset`() throws {
        let account = try Self.read(
            #"{ provider: "entra", client_id: "c", offline_access: false }"#
        )
        #expect(!account.scopes.contains("offline_access") && account.scopes.contains("openid"))
    }

    @Test func `an account with endpoints needs no issuer; its token endpoint's origin stands for it`() throws {
        let account = try Self.read(
            """
            { endpoints: { authorization: "https://a.example/authorize", token: "https://t.example:444/token" },
              client_id: "c" }
            """
        )
        #expect(account.issuer == nil && account.issuerName == "https://t.example:444")
        #expect(account.issuerHost == "t.example")
    }

    @Test func `an account that signs in with a code needs a device endpoint in the authorization endpoint's place`()
        throws
    {
        let token = "token: 'https://t.example/token'"
        let account = try Self.read(
            "{ flow: 'device', client_id: 'c', endpoints: { device_authorization: 'https://t.example/d', \(token) } }"
        )
        #expect(account.flow == .device && account.issuer == nil)
        let faults = Self.faults("{ flow: 'device', client_id: 'c', endpoints: { \(token) } }")
        #expect(faults.map(\.member) == ["issuer"])
    }

    @Test(arguments: [
        ("issuer: null", "issuer"), (#"issuer: """#, "issuer"), ("issuer: 1", "issuer"), (#"issuer: "x""#, "issuer"),
        (#"issuer: "http://i.example""#, "issuer"), (#"issuer: "https://i.example?a=b""#, "issuer"),
        (#"issuer: "https://u:p@i.example""#, "issuer"),
        (#"client_id: """#, "client_id"),
        ("client_id: {}", "client_id"), ("endpoints: []", "endpoints"),
        (#"endpoints: { token: "http://t.example/token" }"#, "endpoints.token"),
        (#"endpoints: { token: "/token" }"#, "endpoints.token"), ("endpoints: { token: 1 }", "endpoints.token"),
        (#"endpoints: { authorization: "https://a.example/a#f" }"#, "endpoints.authorization"),
        (#"endpoints: { userinfo: "https://a.example/u?client_secret=x" }"#, "endpoints.userinfo"),
        (#"endpoints: { tokens: "https://t.example" }"#, "endpoints.tokens"),
        (#"endpoints: { device_authorization: "http://t.example" }"#, "endpoints.device_authorization"),
        (#"endpoints: { pushed_authorization: "http://t.example" }"#, "endpoints.pushed_authorization"),
        (#"scopes: "openid email""#, "scopes"), (#"scopes: ["openid email"]"#, "scopes"), (#"scopes: [""]"#, "scopes"),
        (#"scopes: ["a\"b"]"#, "scopes"), ("scopes: [1]", "scopes"),
        (#"resource: "api""#, "resource"), (#"resource: ["https://a.example#f"]"#, "resource"),
        ("resource: 1", "resource"), ("audience: []", "audience"),
        (#"redirect_uri: "http://example.com/cb""#, "redirect_uri"), ("redirect_uri: []", "redirect_uri"),
        (#"redirect_uri: "myapp:/cb""#, "redirect_uri"), (#"redirect_uri: "com.example.app://cb""#, "redirect_uri"),
        (#"redirect_uri: "com.example.app:cb""#, "redirect_uri"), (#"redirect_uri: ".example:/cb""#, "redirect_uri"),
        (#"redirect_uri: "https://a.example#x""#, "redirect_uri"),
        (#"authorization_parameters: { state: "x" }"#, "authorization_parameters.state"),
        (#"authorization_parameters: { redirect_uri: "x" }"#, "authorization_parameters.redirect_uri"),
        (#"authorization_parameters: { client_secret: "x" }"#, "authorization_parameters.client_secret"),
        (#"authorization_parameters: { "Api-Key": "x" }"#, "authorization_parameters.Api-Key"),
        ("authorization_parameters: { a: 1 }", "authorization_parameters.a"),
        (#"authorization_parameters: { "": "x" }"#, "authorization_parameters."),
        (#"authorization_parameters: "a=b""#, "authorization_parameters"),
        (#"authorization_parameters: { response_mode: "fragment" }"#, "authorization_parameters.response_mode"),
        (#"token_parameters: { grant_type: "password" }"#, "token_parameters.grant_type"),
        (#"token_parameters: { password: "x" }"#, "token_parameters.password"),
        (#"token_headers: { Authorization: "Basic x" }"#, "token_headers.Authorization"),
        (#"token_headers: { cookie: "x" }"#, "token_headers.cookie"),
        (#"token_headers: { "X-Api-Key": "x" }"#, "token_headers.X-Api-Key"),
        (#"token_headers: { Host: "x" }"#, "token_headers.Host"),
        (#"token_headers: { "a b": "x" }"#, "token_headers.a b"),
        (#"token_headers: { a: "x\r\nb: y" }"#, "token_headers.a"), ("token_headers: { a: 1 }", "token_headers.a"),
        (#"refresh: { policy: "never" }"#, "refresh.policy"), ("refresh: { margin: 0 }", "refresh.margin"),
        ("refresh: { margin: 1.5 }", "refresh.margin"), (#"refresh: { keep_alive: "1d" }"#, "refresh.keep_alive"),
        ("refresh: { keep_alive: 1 }", "refresh.keep_alive"), ("refresh: { forced_gap: -1 }", "refresh.forced_gap"),
        ("refresh: { at_start_within: -1 }", "refresh.at_start_within"), ("refresh: { every: 1 }", "refresh.every"),
        ("refresh: true", "refresh"), ("tls: []", "tls"), (#"tls: { ca_file: "/none.pem" }"#, "tls.ca_file"),
        (#"tls: { ca_file: "ca.pem" }"#, "tls.ca_file"), (#"tls: { client_key: "/k" }"#, "tls.client_key"),
        (#"tls: { client_certificate: "/c" }"#, "tls.client_certificate"), ("tls: { verify: false }", "tls.verify"),
        (#"provider: "gogle""#, "provider"), (#"scopes_from: "http://a.example""#, "scopes_from"),
        (#"exchange: "https://a.example""#, "exchange"),
        (#"exchange: { url: "http://a.example" }"#, "exchange.url"),
        (#"exchange: { url: "https://a.example", subject: "refresh_token" }"#, "exchange.subject"),
        (#"exchange: { url: "https://a.example", field: "" }"#, "exchange.field"),
        (#"exchange: { url: "https://a.example", secret: "x" }"#, "exchange.secret"),
        (#"post_logout_redirect_uri: "https://a.example""#, "post_logout_redirect_uri"),
        (#"post_logout_redirect_uri: "http://a.example""#, "post_logout_redirect_uri"),
        (#"client_authentication: "tls_client_auth""#, "client_authentication"),
        (#"flow: "client_credentials""#, "flow"), (#"client_secret_encoding: "x""#, "client_secret_encoding"),
        (#"endpoints: { registration: "/register" }"#, "endpoints.registration"),
        (#"client_authentication: "basic""#, "client_authentication"), (#"flow: "implicit""#, "flow"),
        (#"dpop: "auto""#, "dpop"), (#"dpop: "always""#, "dpop"), (#"par: "often""#, "par"), ("par: true", "par"),
        (#"allow: ["mbsync"]"#, "allow"), ("allow: [1]", "allow"), (#"allow: "*""#, "allow"),
        (#"administration: "*""#, "administration"), (#"confirm: "once""#, "confirm"), ("scope: []", "scope"),
        (#"client_secret: "x""#, "client_secret"), (#"Issuer: "x""#, "Issuer"),
    ])
    func `a fault names its file, its line and its member`(setting: String, member: String) {
        var members = ["issuer": #"issuer: "https://i.example""#, "client_id": #"client_id: "c""#]
        if members[member] != nil { members[member] = nil }
        let text = "{\n" + members.values.map { $0 + ",\n" }.sorted().joined() + "\n" + setting + "\n}"
        let line = members.count + 3
        let faults = Self.faults(text)
        #expect(faults.count == 1)
        #expect(faults.first?.member == member)
        #expect(faults.first?.file == Self.path)
        #expect(faults.first?.line == Int64(line))
        #expect(faults.first?.message.isEmpty == false)
    }

    @Test func `a client that is not named is one to be registered, where somebody could do that`() throws {
        #expect(try Self.read("{ issuer: 'https://i.example' }").registersClient)
        #expect(try !Self.read("{ issuer: 'https://i.example', client_id: 'c' }").registersClient)
        let endpoints = "authorization: 'https://i.example/a', token: 'https://i.example/t'"
        #expect(Self.faults("{ endpoints: { \(endpoints) } }").map(\.member) == ["client_id"])
        let registration = "registration: 'https://i.example/r'"
        #expect(try Self.read("{ endpoints: { \(endpoints), \(registration) } }").registersClient)
        let bot = "client_authentication: 'client_secret_basic', flow: 'client_credentials'"
        #expect(Self.faults("{ issuer: 'https://i.example', \(bot) }").map(\.member) == ["client_id"])
    }

    @Test func `an exchange names its place, and an ID token to show needs an issuer`() {
        let missing = Self.faults("{ issuer: 'https://i.example', client_id: 'c', exchange: {} }")
        #expect(missing.map(\.member) == ["exchange.url"])
        let anonymous = Self.faults(
            """
            { endpoints: { authorization: "https://a.example/a", token: "https://a.example/t" }, client_id: "c",
              exchange: { url: "https://app.example", subject: "id_token" } }
            """
        )
        #expect(anonymous.map(\.member) == ["exchange.subject"])
        let own = Self.faults(
            """
            { issuer: 'https://i.example', client_id: 'c', client_authentication: "client_secret_basic",
              flow: "client_credentials", exchange: { url: "https://app.example" } }
            """
        )
        #expect(own.map(\.member) == ["exchange"])
    }

    @Test func `a fault in an inner object names the line of the inner member`() {
        let faults = Self.faults(
            """
            { issuer: "https://i.example", client_id: "c",
              authorization_parameters: {
                access_type: "offline",
                client_secret: "x",
              },
              refresh: { policy: "always",
                margin: "soon" } }
            """
        )
        #expect(faults.map(\.line) == [4, 7])
        #expect(faults.map(\.member) == ["authorization_parameters.client_secret", "refresh.margin"])
        #expect(faults.first?.description.hasPrefix(Self.path + ":4: authorization_parameters.client_secret: ") == true)
    }

    @Test func `a fault is told on one line, whatever the names in the file are`() {
        let faults = Self.faults(#"{ issuer: "https://i.example", client_id: "c", "a\n<3>b\u001b[31mc": 1 }"#)
        #expect(faults.first?.member == "a\n<3>b\u{1B}[31mc")
        #expect(faults.first?.description.hasPrefix(Self.path + ":1: a <3>bc: ") == true)
    }

    @Test func `every fault of a file is found at once, and what is missing is said`() {
        let faults = Self.faults(#"{ scopes: "x", flow: "implicit", colour: 1 }"#)
        #expect(faults.map(\.member) == ["issuer", "client_id", "flow", "scopes", "colour"])
        #expect(faults[0].line == nil && faults[0].message.contains("https://"))
    }

    @Test(arguments: [
        ("dpop", #""auto""#), ("dpop", #""always""#),
    ])
    func `a setting of a feature that is not built says so`(name: String, value: String) {
        let faults = Self.faults("{ issuer: 'https://i.example', client_id: 'c', \(name): \(value) }")
        #expect(faults.first?.message.contains("not built yet") == true)
    }

    @Test func `a word that nobody knows is not taken for a feature to come`() {
        let faults = Self.faults("{ issuer: 'https://i.example', client_id: 'c', flow: 'implicit' }")
        #expect(faults.first?.message == "is none of: browser, device, client_credentials")
    }

    @Test(arguments: [
        ("{", 1), ("{ issuer: 'https://i.example',\n client_id: 'c',\n\n x", 4), ("[]", 1), ("", 1), ("{}\n{}", 2),
        ("{ issuer: 'a',\n issuer: 'b' }", 2), ("{\n a: 'x\n' }", 2), ("{ a: 01 }", 1), ("// only a comment\n", 2),
    ])
    func `a file that is no JSON5 object is a fault with a line`(text: String, line: Int64) {
        let faults = Self.faults(text)
        #expect(faults.count == 1 && faults.first?.member == nil)
        #expect(faults.first?.line == line)
    }

    /// What only grows, within the limit of a file.
    private static let masses = [
        ("scopes", "[" + (0..<20_000).map { "'s\($0)'," }.joined() + "]"),
        ("redirect_uri", "[" + (0..<6000).map { "'http://127.0.0.1/\($0)'," }.joined() + "]"),
        ("resource", "[" + (0..<6000).map { "'https://r.example/\($0)'," }.joined() + "]"),
        ("token_parameters", "{" + (0..<20_000).map { "p\($0):''," }.joined() + "}"),
        ("authorization_parameters", "{" + (0..<20_000).map { "p\($0):''," }.joined() + "}"),
        ("token_headers", "{" + (0..<20_000).map { "p\($0):''," }.joined() + "}"),
        ("endpoints", "{" + (0..<20_000).map { "p\($0):''," }.joined() + "}"),
    ]

    @Test(arguments: masses)
    func `thousands of entries are one fault, and hold nobody up`(name: String, value: String) {
        let start = ContinuousClock.now
        let faults = Self.faults("{ issuer: 'https://i.example', client_id: 'c', \(name): \(value) }")
        #expect(!faults.isEmpty && faults.count <= 21)
        if name != "endpoints" {
            #expect(faults.map(\.member) == [name] && faults[0].message == "has more than 256 entries")
        }
        #expect(start.duration(to: .now) < .seconds(10))
    }

    @Test func `a file of more than 256 KiB is not read further`() {
        let faults = Self.faults("{" + String(repeating: " ", count: 256 << 10) + "}")
        #expect(faults.map(\.message) == ["is larger than 256 KiB"])
    }

    @Test func `as many entries as anybody needs are taken`() {
        let words = (0..<256).map { "'s\($0)'" }.joined(separator: ",")
        #expect(Self.faults("{ issuer: 'https://i.example', client_id: 'c', scopes: [\(words)] }").isEmpty)
    }

    @Test(arguments: ["work", "a", "A.b_c@d-e", "0", String(repeating: "x", count: 64)])
    func `a name of the documented form is taken`(name: String) {
        #expect(Self.faults("{ issuer: 'https://i.example', client_id: 'c' }", name: name).isEmpty)
    }

    @Test(arguments: ["", ".a", "_a", "-a", "@a", "a b", "a/b", "ü", "a\u{0}", "..", String(repeating: "x", count: 65)])
    func `another name is a fault`(name: String) {
        #expect(!AccountName.isValid(name))
        #expect(Self.faults("{ issuer: 'https://i.example', client_id: 'c' }", name: name).count == 1)
    }
}

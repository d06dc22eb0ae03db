// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON
import Testing
import TokendProtocol

/// The members that the page of the protocol lists for a result, and a sound value for each.
struct ResultCase: Sendable, CustomTestStringConvertible {
    let method: Method
    let optional: Set<String>
    let full: JSONObject
    /// Reads a result and gives back its members and its JSON.
    let roundTrip: @Sendable (JSONObject) throws(ProtocolError) -> (JSONObject, [UInt8])

    init<Call: MethodCall>(_ call: Call.Type, optional: Set<String> = [], _ full: JSONObject) {
        method = Call.method
        self.optional = optional
        self.full = full
        roundTrip = { json throws(ProtocolError) in
            let result = try Call.Result(json: json)
            var bytes: [UInt8] = []
            result.append(to: &bytes)
            return (result.encoded(), bytes)
        }
    }

    var testDescription: String {
        method.rawValue
    }

    private static let loginResult: JSONObject = [
        "account": "work", "subject": "s", "identity": "me@example", "scope": "a b", "renewable": true, "expires_at": 9,
    ]
    private static let fault: JSONValue = [
        "file": "/a", "line": 3, "member": "tls.ca_file", "message": "No.", "mend": "restart",
    ]

    static let all = [
        ResultCase(
            Hello.self,
            [
                "name": "tokend", "version": "1", "protocol": 1, "pid": 7,
                "methods": ["hello": [], "token.get": ["account", "scope"]],
            ]
        ),
        ResultCase(
            TokenGet.self,
            optional: ["expires_at", "expires_in", "id_token", "id_token_expires_at", "extra"],
            [
                "account": "wörk", "issuer": "https://i.example", "access_token": "a\"b\u{7}", "token_type": "Bearer",
                "scope": "a b", "expires_at": 100, "expires_in": 50, "renewable": true, "refreshed": false,
                "id_token": "e.y.J", "id_token_expires_at": 70,
                "extra": ["instance_url": "https://x.example", "n": [1]],
            ]
        ),
        ResultCase(
            Status.self,
            [
                "daemon": [
                    "version": "1", "pid": 7, "started_at": 5, "socket": "/run/s",
                    "store": ["kind": "file", "state": "locked"],
                    "config": [
                        "folder": "/etc", "state": "ready", "faults": [fault, ["file": "/b", "message": "Hm."]],
                    ],
                    "clients": 1, "requests": 2, "refreshes": 3,
                ],
                "accounts": [
                    [
                        "account": "work", "issuer": "i", "client_id": "c", "state": "retrying", "reason": "ended",
                        "scope": "a", "subject": "s", "identity": "me", "flow": "browser", "renewable": true,
                        "expires_at": 1, "refresh_at": 2, "refreshed_at": 3, "grant_expires_at": 4, "paused": true,
                        "login": ["login_id": "x", "expires_at": 5],
                        "fault": ["kind": "timeout", "message": "Hm.", "at": 6, "retry_at": 7],
                    ],
                    ["account": "b", "issuer": "i", "client_id": "c", "state": "a_new_one", "flow": "a_new_one"],
                ],
            ]
        ),
        ResultCase(
            LoginStart.self,
            optional: [
                "authorization_url", "start_url", "redirect_uri", "user_code", "verification_uri",
                "verification_uri_complete", "interval",
            ],
            [
                "login_id": "x", "flow": "device", "expires_at": 9, "authorization_url": "u", "start_url": "v",
                "redirect_uri": "w", "user_code": "AB-CD", "verification_uri": "y", "verification_uri_complete": "z",
                "interval": 5,
            ]
        ),
        ResultCase(LoginWait.self, optional: ["subject", "identity", "expires_at"], loginResult),
        ResultCase(LoginCheck.self, ["redirect": true]),
        ResultCase(LoginComplete.self, optional: ["subject", "identity", "expires_at"], loginResult),
        ResultCase(LoginCancel.self, [:]),
        ResultCase(
            Logout.self,
            optional: ["revocation_fault", "removal_pending", "removal_store", "removal_fault", "end_session_url"],
            [
                "revoked": false, "revocation_fault": "No.", "removal_pending": true, "removal_store": "locked",
                "removal_fault": "No.", "end_session_url": "u",
            ]
        ),
        ResultCase(StoreUnlock.self, ["state": "ready"]),
        ResultCase(
            ProviderList.self,
            [
                "providers": [
                    [
                        "provider": "p", "title": "P", "about": "a", "account": ["issuer": "https://{h}"],
                        "register": ["url": "https://p.example", "as": "an app", "redirect": "http://127.0.0.1"],
                        "registers_clients": true, "notes": ["n"],
                        "asks": [["name": "h", "about": "a", "kind": "url", "example": "e", "default": "d"]],
                        "file": "/p.json5", "fault": "f",
                    ]
                ]
            ]
        ),
        ResultCase(
            ProviderFetch.self,
            optional: ["refused", "note"],
            [
                "providers": [["account": "a", "title": "A", "config": ["issuer": "https://i.example"]]],
                "refused": ["r"], "note": "n",
            ]
        ),
        ResultCase(AccountList.self, optional: ["default"], ["accounts": ["a", "b"], "default": "a"]),
        ResultCase(
            AccountShow.self,
            optional: ["provider"],
            ["account": "a", "config": ["client_id": "c"], "file": "/a", "provider": "p"]
        ),
        ResultCase(AccountAdd.self, ["account": "a", "file": "/a"]),
        ResultCase(
            AccountRemove.self,
            optional: ["revocation_fault", "removal_pending", "removal_fault", "end_session_url"],
            [
                "revoked": true, "revocation_fault": "No.", "removal_pending": false, "removal_fault": "x",
                "end_session_url": "u",
            ]
        ),
        ResultCase(AccountRefresh.self, [:]),
        ResultCase(AccountPause.self, [:]),
        ResultCase(AccountResume.self, [:]),
        ResultCase(ConfigReload.self, ["state": "ready", "faults": [fault]]),
        ResultCase(EventsSubscribe.self, [:]),
    ]
}

@Suite struct MethodResultsTests {
    @Test(arguments: ResultCase.all) func `every member is read and sent`(_ sample: ResultCase) throws {
        let (members, bytes) = try sample.roundTrip(sample.full)
        #expect(members == sample.full)
        #expect(bytes == JSONWriter.bytes(.object(members)))
    }

    @Test(arguments: ResultCase.all) func `an optional member is left out where there is none`(_ sample: ResultCase)
        throws
    {
        var least = sample.full
        for name in sample.optional {
            least[name] = nil
        }
        let (members, bytes) = try sample.roundTrip(least)
        #expect(members == least)
        #expect(bytes == JSONWriter.bytes(.object(members)))
    }

    @Test(arguments: ResultCase.all) func `a member from a newer daemon is ignored`(_ sample: ResultCase) throws {
        var newer = sample.full
        newer["brand_new"] = ["a": [1]]
        #expect(try sample.roundTrip(newer).0 == sample.full)
    }

    @Test(arguments: ResultCase.all) func `a broken result is the daemon's fault`(_ sample: ResultCase) {
        for name in sample.full.names {
            for value: JSONValue? in sample.optional.contains(name) ? [[[]], .fraction] : [nil, [[]], .fraction] {
                var broken = sample.full
                broken[name] = value
                let error = #expect(throws: ProtocolError.self) { try sample.roundTrip(broken) }
                #expect(error?.kind == .internalError)
                #expect(error?.message.contains("'\(name)'") == true)
            }
        }
    }

    @Test func `every method of version 1 has its name`() {
        let names = """
            hello token.get token.exchange token.proof status login.start login.wait login.check login.complete \
            login.cancel logout store.unlock account.list account.show account.add account.secret account.import \
            account.refresh account.pause account.resume account.remove provider.list provider.fetch config.reload doctor policy.list policy.revoke \
            confirm.answer events.subscribe
            """
        #expect(Set(Method.allCases.map(\.rawValue)) == Set(names.split(separator: " ").map(String.init)))
        #expect(Set(ResultCase.all.map(\.method)) == Set(ParametersCase.all.map(\.method)))
    }

    @Test func `a call goes out and its answer comes in`() throws {
        let request = TokenGet.request(TokenGet.Parameters(account: "work"), id: RawID(1))
        #expect(request.params == ["account": "work"])
        let result = TokenGet.Result(
            account: "work",
            issuer: "https://i.example",
            accessToken: Secret("t0ken"),
            scope: "a",
            renewable: true
        )
        let line = ReplyMessage.result(result, to: request)
        guard case .reply(let reply) = try ServerMessage(line: Array(line.dropLast())) else {
            Issue.record("This is not a reply.")
            return
        }
        #expect(try TokenGet.result(of: reply) == result)
        #expect(!"\(result)".contains("t0ken"))
    }

    @Test func `a result that is not an object is the daemon's fault`() throws {
        let request = RequestMessage(method: "hello", id: RawID(1))
        guard case .reply(let reply) = try ServerMessage(line: ReplyMessage.result([1], to: request)) else {
            Issue.record("This is not a reply.")
            return
        }
        let error = #expect(throws: ProtocolError.self) { try Hello.result(of: reply) }
        #expect(error?.kind == .internalError)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON
import Testing
import TokendProtocol

/// What the page of the protocol lists for a method, and a sound value for each member.
struct ParametersCase: Sendable, CustomTestStringConvertible {
    let method: Method
    let required: [String]
    let full: JSONObject
    let names: [String]
    /// Reads `params` and gives back what a client would send for them.
    let roundTrip: @Sendable (JSONObject) throws(ProtocolError) -> JSONObject

    init<Call: MethodCall>(_ call: Call.Type, required: [String] = [], _ full: JSONObject) {
        method = Call.method
        self.required = required
        self.full = full
        names = Call.Parameters.names
        roundTrip = { params throws(ProtocolError) in try Call.Parameters(params: params).encoded() }
    }

    var testDescription: String {
        method.rawValue
    }

    static let all = [
        ParametersCase(Hello.self, [:]),
        ParametersCase(
            TokenGet.self,
            [
                "account": "work", "issuer": "https://i.example", "scope": "a b", "narrow": true,
                "resource": ["https://r.example", "urn:x"], "audience": "api", "min_valid": 60, "rejected": "t0ken",
                "challenge": "Bearer error=x",
                "fresh": false, "interactive": true, "id_token": true, "application": "mail", "timeout": 5,
            ]
        ),
        ParametersCase(Status.self, ["account": "work"]),
        ParametersCase(
            LoginStart.self,
            required: ["account"],
            [
                "account": "work", "flow": "device", "redirect_uri": "http://127.0.0.1", "open_browser": true,
                "timeout": 300, "scope": "a", "prompt": "login", "login_hint": "me", "acr_values": "1 2", "max_age": 0,
                "force": true, "completes": true,
            ]
        ),
        ParametersCase(LoginWait.self, required: ["login_id"], ["login_id": "x", "timeout": 0]),
        ParametersCase(LoginCheck.self, required: ["login_id", "url"], ["login_id": "x", "url": "http://127.0.0.1/"]),
        ParametersCase(
            LoginComplete.self,
            required: ["url"],
            ["url": "a:/b?code=c", "login_id": "x", "metadata": ["k": "v"], "timeout": 9]
        ),
        ParametersCase(LoginCancel.self, required: ["login_id"], ["login_id": "x"]),
        ParametersCase(
            Logout.self,
            required: ["account"],
            ["account": "work", "revoke": false, "end_session": true, "timeout": 9]
        ),
        ParametersCase(StoreUnlock.self, ["passphrase": "p", "timeout": 9]),
        ParametersCase(AccountList.self, [:]),
        ParametersCase(ProviderList.self, [:]),
        ParametersCase(ProviderFetch.self, required: ["url"], ["url": "https://a.example/list", "timeout": 5]),
        ParametersCase(AccountShow.self, required: ["account"], ["account": "work"]),
        ParametersCase(
            AccountAdd.self,
            required: ["account", "config"],
            ["account": "work", "config": ["a": [1]], "client_secret": "s", "replace": true, "timeout": 9]
        ),
        ParametersCase(
            AccountRemove.self,
            required: ["account"],
            ["account": "work", "revoke": true, "timeout": 9]
        ),
        ParametersCase(AccountRefresh.self, required: ["account"], ["account": "work", "timeout": 9]),
        ParametersCase(AccountPause.self, ["account": "work"]),
        ParametersCase(AccountResume.self, ["account": "work"]),
        ParametersCase(ConfigReload.self, [:]),
        ParametersCase(EventsSubscribe.self, ["confirms": true]),
    ]
}

extension JSONValue {
    /// A number that is not whole: wrong for every member.
    static let fraction = (try? JSONReader().read("1.5")) ?? "a fraction that could not be read"
}

@Suite struct MethodParametersTests {
    private func member(_ error: ProtocolError?) -> String? {
        #expect(error?.kind == .invalidParams)
        return error?.data["member"]?.string
    }

    @Test(arguments: ParametersCase.all) func `every member is read and sent`(_ sample: ParametersCase) throws {
        #expect(Set(sample.full.names) == Set(sample.names))
        #expect(try sample.roundTrip(sample.full) == sample.full)
    }

    @Test(arguments: ParametersCase.all) func `only the required members are needed`(_ sample: ParametersCase) throws {
        let least = JSONObject(sample.required.map { ($0, sample.full[$0] ?? nil) })
        #expect(try sample.roundTrip(least) == least)
        for name in sample.required {
            var params = sample.full
            params[name] = nil
            let error = #expect(throws: ProtocolError.self) { try sample.roundTrip(params) }
            #expect(member(error) == name)
        }
    }

    @Test(arguments: ParametersCase.all) func `a misspelt member is named`(_ sample: ParametersCase) {
        for name in ["acount", "", "Account", "a\u{1B}[31m"] {
            var params = sample.full
            params[name] = true
            let error = #expect(throws: ProtocolError.self) { try sample.roundTrip(params) }
            #expect(member(error) == name)
            #expect(error?.message.contains("\u{1B}") == false)
        }
    }

    @Test(arguments: ParametersCase.all) func `an ill-typed member is named`(_ sample: ParametersCase) {
        for name in sample.names {
            for value: JSONValue in [nil, [[]], [1], .fraction] {
                var params = sample.full
                params[name] = value
                let error = #expect(throws: ProtocolError.self) { try sample.roundTrip(params) }
                #expect(member(error) == name)
            }
        }
    }

    @Test func `a number that no wait can have is refused`() {
        let values: [JSONValue] = [-1, 31_622_401, .integer(.max), .integer(.min), "5", true]
        for name in ["min_valid", "timeout"] {
            for value in values {
                let error = #expect(throws: ProtocolError.self) { try TokenGet.Parameters(params: [name: value]) }
                #expect(member(error) == name)
            }
            for text in ["1.5", "1e3", "10000000000000000000000", "-0.0"] {
                let error = #expect(throws: ProtocolError.self) {
                    let value = try JSONReader().read("{\"\(name)\":\(text)}")
                    return try TokenGet.Parameters(params: #require(value.object))
                }
                #expect(member(error) == name)
            }
        }
    }

    @Test func `a scope has a scope's characters`() {
        for scope in ["a\"b", "a\\b", "é", "a\tb", "a\n", "\u{7F}"] {
            let error = #expect(throws: ProtocolError.self) {
                try TokenGet.Parameters(params: ["scope": .string(scope)])
            }
            #expect(member(error) == "scope")
        }
    }

    @Test func `a resource is a string or a list of strings`() throws {
        #expect(try TokenGet.Parameters(params: ["resource": "urn:a"]).resource == ["urn:a"])
        #expect(try TokenGet.Parameters(params: ["resource": ["urn:a", "urn:b"]]).resource == ["urn:a", "urn:b"])
        for value: JSONValue in [["urn:a", 1], [:], true] {
            let error = #expect(throws: ProtocolError.self) { try TokenGet.Parameters(params: ["resource": value]) }
            #expect(member(error) == "resource")
        }
    }

    @Test func `an unknown flow is refused`() {
        for flow in ["implicit", "", "Browser"] {
            let params: JSONObject = ["account": "a", "flow": .string(flow)]
            let error = #expect(throws: ProtocolError.self) { try LoginStart.Parameters(params: params) }
            #expect(member(error) == "flow")
        }
    }

    @Test func `the sentence tells what there is`() {
        let error = #expect(throws: ProtocolError.self) { try LoginCancel.Parameters(params: ["id": "x"]) }
        #expect(error?.message == #"there is no parameter "id"; this method takes: login_id"#)
        let missing = #expect(throws: ProtocolError.self) { try LoginCancel.Parameters(params: [:]) }
        #expect(missing?.message == "the parameter 'login_id' is missing")
    }

    @Test func `no secret shows in what is printed`() throws {
        let get = try TokenGet.Parameters(params: ["rejected": "hunter2"])
        let add = try AccountAdd.Parameters(params: ["account": "a", "config": [:], "client_secret": "hunter2"])
        let complete = try LoginComplete.Parameters(params: ["url": "http://127.0.0.1/?code=hunter2"])
        let unlock = try StoreUnlock.Parameters(params: ["passphrase": "hunter2"])
        for value in ["\(get)", "\(add)", "\(complete)", "\(unlock)", String(reflecting: unlock)] {
            #expect(!value.contains("hunter2"))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON
import Testing
import TokendProtocol

@Suite struct MethodParametersTests {
    private func member(_ error: ProtocolError?) -> String? {
        #expect(error?.kind == .invalidParams)
        return error?.data["member"]?.string
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

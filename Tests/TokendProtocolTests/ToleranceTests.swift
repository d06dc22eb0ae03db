// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import TokendProtocol

@Suite struct ToleranceTests {
    @Test func `what is there of a result is read, whatever else is missing or at fault`() {
        let status = Status.Result(tolerating: [
            "daemon": ["store": ["kind": "file", "state": "frozen"], "pid": "1", "sockets": [1, ["name": "a"]]],
            "accounts": [
                7, ["account": "work", "state": "brand_new", "expires_at": "soon", "login": ["expires_at": 5]], [:],
            ],
            "novel": true,
        ])
        #expect(status.daemon.storeKind == "file" && status.daemon.storeState == StoreState(rawValue: "frozen"))
        #expect(status.daemon.pid == 0 && status.daemon.sockets.map(\.name) == ["a"])
        #expect(status.accounts.count == 2)
        #expect(status.accounts[0].account == "work" && status.accounts[0].state.rawValue == "brand_new")
        #expect(status.accounts[0].expiresAt == nil && status.accounts[0].login?.expiresAt == 5)
        #expect(status.accounts[1] == AccountStatus())
        #expect(Status.Result(tolerating: ["daemon": 3, "accounts": ["a": 1]]) == Status.Result())
        #expect(AccountList.Result(tolerating: ["accounts": ["a", 1]]).accounts == ["a"])
    }

    @Test func `the same result is an error where all of it is wanted`() {
        #expect(throws: ProtocolError.self) { try Status.Result(json: ["daemon": [:], "accounts": []]) }
        #expect(throws: ProtocolError.self) { try AccountList.Result(json: ["accounts": ["a", 1]]) }
    }
}

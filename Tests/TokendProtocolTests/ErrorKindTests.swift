// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import TokendProtocol

@Suite struct ErrorKindTests {
    /// The table of the protocol's page, row by row.
    private static let table: [(String, Int, Int32)] = [
        ("parse_error", -32700, 1), ("invalid_request", -32600, 1), ("method_not_found", -32601, 1),
        ("invalid_params", -32602, 64), ("internal_error", -32603, 70), ("account_unknown", -32001, 64),
        ("login_required", -32002, 77), ("login_pending", -32003, 77), ("login_failed", -32004, 77),
        ("login_unknown", -32005, 1), ("timeout", -32006, 75), ("cancelled", -32007, 1), ("not_allowed", -32008, 77),
        ("store_locked", -32009, 75), ("store_unavailable", -32010, 69), ("provider_unreachable", -32011, 75),
        ("provider_error", -32012, 65), ("insufficient_scope", -32013, 77), ("config_invalid", -32014, 78),
        ("account_exists", -32015, 1), ("token_rejected", -32016, 77),
    ]

    @Test(arguments: table) func `a kind has its code and its exit code`(_ word: String, _ code: Int, _ exit: Int32) {
        let kind = ErrorKind(rawValue: word)
        #expect(kind.code == code)
        #expect(kind.exitCode == exit)
        #expect(ErrorKind(code: code) == kind)
    }

    @Test func `the table is whole`() {
        #expect(Set(ErrorKind.known.map(\.rawValue)) == Set(Self.table.map(\.0)))
    }

    @Test func `a kind from a newer daemon stays itself`() {
        let error = ProtocolError(json: ["code": -32099, "message": "New.", "data": ["kind": "brand_new", "x": 1]])
        #expect(error.kind.rawValue == "brand_new")
        #expect(error.kind.exitCode == 1)
        #expect(error.data == ["x": 1])
        #expect(error.encoded()["data"] == ["kind": "brand_new", "x": 1])
    }

    @Test func `an error without a kind is told by its code`() {
        #expect(ProtocolError(json: ["code": -32601, "message": "No."]).kind == .methodNotFound)
        #expect(ProtocolError(json: ["code": -1]).kind == .internalError)
        #expect(ProtocolError(json: "nonsense").message == "the daemon gave no reason")
    }

    @Test func `an error comes back as it was sent`() throws {
        let data: JSONObject = ["account": "work", "reason": "ended"]
        let error = ProtocolError(.loginRequired, "Sign in again: tokenctl login work.", data: data)
        let encoded = error.encoded()
        #expect(encoded.names == ["code", "message", "data"])
        #expect(encoded["code"] == -32002)
        #expect(ProtocolError(json: .object(encoded)) == error)
    }

    @Test func `the member at fault is named whole unless it is a flood`() {
        let short = ProtocolError.invalidParams(member: "scpoe", "No.")
        #expect(short.data == ["member": "scpoe"])
        let long = ProtocolError.invalidParams(member: String(repeating: "x", count: 100_000), "No.")
        #expect(long.data["member"]?.string?.count == 256)
    }
}

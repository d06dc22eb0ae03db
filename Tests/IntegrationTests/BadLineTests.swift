// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// What clients write to the socket that is not in order, and what is odd and allowed.
    @Suite struct Lines {
        /// A line and the kind of error that answers it.
        static let refused: [(line: String, kind: String)] = [
            ("no JSON", "parse_error"), ("{\"method\":\"hello\"", "parse_error"),
            ("{\"method\":\"hello\",\"method\":\"status\"}", "parse_error"),
            (String(repeating: "[", count: 100) + String(repeating: "]", count: 100), "parse_error"),
            ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\"}]", "invalid_request"),
            ("{\"jsonrpc\":\"2.0\",\"id\":1}", "invalid_request"), ("{\"id\":1}", "invalid_request"),
            ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"hello\"}", "invalid_request"),
            ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"hello\"}", "invalid_request"),
            ("{\"id\":1,\"method\":\"no.such\"}", "method_not_found"),
            ("{\"id\":1,\"method\":\"token.get\",\"params\":{\"min_vaild\":1}}", "invalid_params"),
            ("{\"id\":1,\"method\":\"token.get\",\"params\":{\"account\":7}}", "invalid_params"),
            ("{\"id\":1,\"method\":\"token.get\",\"params\":{\"account\":\"nobody\"}}", "account_unknown"),
        ]

        @Test func `each bad line is answered, and the connection goes on`() async throws {
            try await Stand.with { stand in
                for (line, kind) in Self.refused {
                    stand.client.sendLine(line)
                    #expect(DaemonRefusal(try await stand.client.nextReply()).kind == kind, "\(line)")
                }
                stand.client.send([0x22, 0xFF, 0x22, 0x0A])
                #expect(DaemonRefusal(try await stand.client.nextReply()).kind == "parse_error")
                let hello = try await stand.client.result("hello")
                #expect(hello["protocol"]?.int64 == 1)
            }
        }

        @Test func `an overlong line ends its own connection alone`() async throws {
            try await Stand.with { stand in
                let other = try stand.daemon.connect()
                _ = try await other.result("hello")
                stand.client.sendLine("{\"method\":\"" + String(repeating: "x", count: 300 << 10) + "\"}")
                #expect(DaemonRefusal(try await stand.client.nextReply()).kind == "invalid_request")
                try await stand.client.awaitEnd()
                _ = try await other.result("hello")
            }
        }

        @Test func `a line may come byte by byte, and end in CR LF after blank lines`() async throws {
            try await Stand.with { stand in
                for byte in "\r\n\n{\"id\": 1,\"method\":\"hello\"}\r\n".utf8 { stand.client.send([byte]) }
                let reply = try await stand.client.nextReply()
                #expect(reply["id"]?.int64 == 1)
                #expect(reply["jsonrpc"] == nil)
                #expect(reply["result"]?.object?["name"]?.string == "tokend")
            }
        }

        @Test func `pipelined requests are all answered, with their ids as they came`() async throws {
            try await Stand.with { stand in
                let ids = (0..<500).map { $0.isMultiple(of: 2) ? "\($0)" : "\"id-\\u00e9-\($0)\"" }
                let lines = ids.map { "{\"jsonrpc\":\"2.0\",\"id\":\($0),\"method\":\"hello\"}\n" }
                stand.client.send(Array(lines.joined().utf8))
                stand.client.finishWriting()
                var missing = Set(ids)
                for _ in ids {
                    let line = try await stand.client.nextLine()
                    let id = missing.first { line.contains("\"id\":\($0),") || line.contains("\"id\":\($0)}") }
                    missing.remove(try #require(id, "\(line)"))
                }
                try await stand.client.awaitEnd()
            }
        }

        @Test func `a notification is never answered`() async throws {
            try await Stand.with { stand async throws in
                stand.client.sendLine("{\"jsonrpc\":\"2.0\",\"method\":\"hello\"}")
                stand.client.sendLine("{\"jsonrpc\":\"2.0\",\"method\":\"no.such\"}")
                stand.client.sendLine("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"hello\"}")
                #expect(try await stand.client.nextReply()["id"]?.isNull == true)
            }
        }

        @Test func `a client that dies in the middle of a line leaves nothing behind`() async throws {
            try await Stand.with { stand in
                for _ in 0..<50 {
                    let client = try stand.daemon.connect()
                    client.send(Array("{\"method\":".utf8))
                    client.hangUp()
                }
                let daemon = try await stand.client.result("status")["daemon"]?.object
                #expect(try #require(daemon?["clients"]?.int64) <= 2)
            }
        }
    }
}

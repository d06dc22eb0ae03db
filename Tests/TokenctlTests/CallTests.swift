// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import tokenctl

@Suite struct CallTests {
    private static func token(_ text: String) -> StandInDaemon.Answer {
        .result(["account": "work", "access_token": .string(text), "token_type": "bearer"])
    }

    private static func daemon() throws -> StandInDaemon {
        try StandInDaemon { $0.params["rejected"] == nil ? token("old") : token("new") }
    }

    /// A stand-in for curl: notes arguments and stdin in `log`, then answers with the head that belongs to the token.
    private static func curl(old: String, new: String, log: TemporaryFile) throws -> TemporaryFile {
        try .script(
            """
            header=$(cat)
            printf '%s\\n' "$*" "$header" >>\(log.path)
            case "$header" in
            *old) head='\(old)' ;;
            *) head='\(new)' ;;
            esac
            printf "$head\\r\\n\\r\\n" >/dev/fd/3
            printf 'body of %s' "$head"
            echo 'curl: said' >&2
            case "$head" in *' 200'*) exit 0 ;; *) exit 22 ;; esac
            """
        )
    }

    private static func surroundings(_ curl: TemporaryFile) -> Surroundings {
        var there = Surroundings()
        there.environment["PATH"] = "/usr/bin:/bin"
        there.programs = ["curl": curl.path]
        return there
    }

    @Test func `the header comes on stdin, and the body goes through`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let log = try TemporaryFile("")
        let curl = try Self.curl(old: "HTTP/1.1 200 OK", new: "", log: log)
        let outcome = try Self.surroundings(curl).run(
            ["call", "work", "post", "https://api.example.com/n", "--", "--json", "{}"],
            daemon
        )
        #expect(outcome.code == 0)
        #expect(outcome.output == "body of HTTP/1.1 200 OK")
        #expect(outcome.talk == "curl: said\n")
        #expect(daemon.methods == ["token.get"])
        let logged = try log.text()
        #expect(
            logged == """
                --silent --show-error --fail-with-body --globoff --request POST --header @- --dump-header /dev/fd/3 \
                --json {} --url https://api.example.com/n
                Authorization: Bearer old

                """
        )
    }

    @Test func `after a 401 it is made once more with a fresh token`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let log = try TemporaryFile("")
        let curl = try Self.curl(old: "HTTP/2 401", new: "HTTP/2 200", log: log)
        let outcome = try Self.surroundings(curl).run(["call", "work", "https://api.example.com/"], daemon)
        #expect(outcome.code == 0)
        #expect(outcome.output == "body of HTTP/2 200")
        #expect(outcome.talk == "curl: said\n")
        #expect(daemon.requests.map(\.params) == [["account": "work"], ["account": "work", "rejected": "old"]])
    }

    @Test func `a 401 for the fresh token too is the end`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let log = try TemporaryFile("")
        let curl = try Self.curl(old: "HTTP/1.1 401 No", new: "HTTP/1.1 401 Never", log: log)
        let outcome = try Self.surroundings(curl).run(["call", "work", "https://api.example.com/"], daemon)
        #expect(outcome.code == 22)
        #expect(outcome.output == "body of HTTP/1.1 401 Never")
        #expect(outcome.talk.hasSuffix("The API refuses the token, and a fresh one too.\n  → tokenctl login work\n"))
        #expect(daemon.methods == ["token.get", "token.get"])
    }

    @Test func `a scope that is missing is named with the way to it`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let log = try TemporaryFile("")
        let head = #"HTTP/1.1 403 No\r\nWWW-Authenticate: Bearer error="insufficient_scope", scope="repo user""#
        let curl = try Self.curl(old: head, new: "", log: log)
        let outcome = try Self.surroundings(curl).run(["call", "work", "https://api.example.com/"], daemon)
        #expect(outcome.code == 22)
        #expect(
            outcome.talk.hasSuffix(
                "The API wants the scope “repo user”.\n  → tokenctl login work --scope 'repo user'\n"
            )
        )
    }

    private static let stepUp =
        #"HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer error="insufficient_user_authentication", "#
        + #"acr_values="gold silver", max_age=300"#

    @Test func `an API that wants another sign-in gets no refresh, and the way to it is said (9470-1, 6750-3)`() throws
    {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let log = try TemporaryFile("")
        let curl = try Self.curl(old: Self.stepUp, new: "", log: log)
        let outcome = try Self.surroundings(curl).run(["call", "work", "https://api.example.com/"], daemon)
        #expect(outcome.code == 22)
        #expect(outcome.output.hasPrefix("body of HTTP/1.1 401"))
        #expect(
            outcome.talk.hasSuffix(
                "The API wants a stronger or more recent sign-in.\n"
                    + "  → tokenctl login work --acr-values 'gold silver' --max-age 300\n"
            )
        )
        #expect(daemon.methods == ["token.get"])
    }

    @Test(arguments: ["HTTP/1.1 200 OK", stepUp])
    func `with --login the person signs in as the API wants it, once (9470-1)`(second: String) throws {
        let hasSignedIn = Flag()
        let daemon = try StandInDaemon { request in
            switch request.method {
            case "login.start": return .result(StandInDaemon.started)
            case "login.wait":
                hasSignedIn.raise()
                return .result(["account": "work", "scope": "openid", "renewable": true])
            default: return hasSignedIn.isRaised ? Self.token("new") : Self.token("old")
            }
        }
        defer { daemon.stop() }
        let log = try TemporaryFile("")
        let curl = try Self.curl(old: Self.stepUp, new: second, log: log)
        let outcome = try Self.surroundings(curl).run(["call", "work", "https://api.example.com/", "--login"], daemon)
        #expect(outcome.code == (second == Self.stepUp ? 22 : 0))
        #expect(daemon.methods == ["token.get", "login.start", "login.wait", "token.get"])
        #expect(
            daemon.requests[1].params
                == ["account": "work", "open_browser": false, "acr_values": "gold silver", "max_age": 300]
        )
        #expect(daemon.requests[3].params == ["account": "work"])
        #expect(outcome.talk.contains("  → tokenctl login work --acr-values") == (second == Self.stepUp))
    }

    @Test func `curl's own fault is its own code`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let curl = try TemporaryFile.script("echo 'curl: (6) no such host' >&2; exit 6\n")
        let outcome = try Self.surroundings(curl).run(["call", "work", "https://api.example.com/"], daemon)
        #expect(outcome.code == 6)
        #expect(outcome.talk == "curl: (6) no such host\n")
        #expect(try Surroundings().run(["call", "work", "https://api.example.com/"], daemon).code == 69)
    }

    @Test func `a body larger than any buffer goes through, and a long token comes in`() throws {
        let long = String(repeating: "abcdefgh", count: 32 * 1024)
        let daemon = try StandInDaemon { _ in Self.token(long) }
        defer { daemon.stop() }
        let curl = try TemporaryFile.script(
            "printf 'HTTP/1.1 200 OK\\r\\n\\r\\n' >/dev/fd/3; head -c 3000000 /dev/zero | tr '\\0' x; wc -c\n"
        )
        let outcome = try Self.surroundings(curl).run(["call", "work", "https://api.example.com/"], daemon)
        #expect(outcome.code == 0)
        #expect(outcome.output.utf8.count > 3_000_000)
        #expect(outcome.output.hasSuffix("x\(long.utf8.count + "Authorization: Bearer \n".utf8.count)\n"))
    }

    @Test func `a token goes nowhere in the clear`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        for url in ["http://api.example.com/", "api.example.com", "file:///etc/passwd", "https://u:p@api.example.com/"]
        {
            let outcome = try Surroundings().run(["call", "work", url], daemon)
            #expect(outcome.code == 64, "\(url)")
        }
        #expect(daemon.methods.isEmpty)
        #expect(try CallTarget(["work", "http://127.0.0.1:8080/x"]).account == "work")
        #expect(try CallTarget(["work", "get", "https://a.example/"]).method == "GET")
        #expect(throws: TokenctlError.self) { try CallTarget(["work", "GE T", "https://a.example/"]) }
    }

    @Test func `whose token goes to a host has to be said`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["call", "https://api.example.com/?a&b"], daemon)
        #expect(outcome.code == 64)
        #expect(outcome.talk.hasSuffix("  → tokenctl call ACCOUNT 'https://api.example.com/?a&b'\n"))
        #expect(try Surroundings().run(["call", "work"], daemon).talk.hasPrefix("tokenctl: call needs a URL\n"))
        let plain = try Surroundings().run(["call", "work", "http://api.example.com"], daemon).talk
        #expect(
            plain.contains("https:// (to this machine itself, http:// will do), or others on the way read the token")
        )
        #expect(daemon.methods.isEmpty)
    }

    @Test func `of several heads the last one counts, interim ones not`() {
        var head = ResponseHead()
        head.append(Array("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 302 Found\r\nLocation: /x\r\n\r\nHTTP/1.1 4".utf8))
        #expect(head.status == 302)
        head.append(Array("03 Forbidden\r\nwww-authenticate: Bearer error=insufficient_scope\r\n\r\n".utf8))
        #expect(head.status == 403)
        #expect(head.missingScope == "")
        head.append(Array("garbage\n\nHTTP/1.1 xyz\n\n".utf8))
        #expect(head.status == 403)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Testing

/// The codes of a device login (RFC 8628, sections 3.1 and 3.2).
@Suite struct DeviceAuthorizationTests {
    private static let good: JSONObject = [
        "device_code": "S3CR3T", "user_code": "WDJB-MJHT", "verification_uri": "https://h/device",
        "verification_uri_complete": "https://h/device?user_code=WDJB-MJHT", "expires_in": 1800, "interval": 7,
    ]

    private func read(_ changes: JSONObject) -> DeviceAuthorizationAnswer {
        var members = Self.good
        for member in changes { members[member.name] = member.value.isNull ? Optional.none : member.value }
        return .read(.json(members), now: now)
    }

    private func success(_ changes: JSONObject = [:]) throws -> DeviceAuthorizationResponse {
        guard case .success(let response) = read(changes) else {
            throw OAuthError(.invalidDocument, "\(read(changes))")
        }
        return response
    }

    @Test func `the request is a POST with client_id and scope, and nothing in the URL (8628-1)`() throws {
        var request = DeviceAuthorizationRequest(scope: ["openid", "mail"])
        request.additional = ["access_type": "offline", "empty": ""]
        request.resources = ["https://api"]
        request.maxAge = 60
        let http = try request.httpRequest(
            endpoint: try WebURL("https://h/device?tenant=1"),
            clientID: "app",
            authentication: .none
        )
        #expect(http.method == .post && http.url.text == "https://h/device?tenant=1")
        #expect(http.headers["Accept"] == "application/json")
        let body = "scope=openid+mail&max_age=60&resource=https%3A%2F%2Fapi&access_type=offline&client_id=app"
        #expect(http.body?.reveal() == body)
    }

    @Test func `without a scope none is sent, and a parameter of the protocol's own cannot be set (8628-1)`() throws {
        let endpoint = try WebURL("https://h/device")
        var request = DeviceAuthorizationRequest(scope: [])
        let http = try request.httpRequest(endpoint: endpoint, clientID: "app", authentication: .none)
        #expect(http.body?.reveal() == "client_id=app")
        request.additional = ["client_secret": "x"]
        #expect(throws: OAuthError.self) {
            _ = try request.httpRequest(endpoint: endpoint, clientID: "app", authentication: .none)
        }
    }

    @Test func `a whole answer is read, and its device code is never in a text (8628-1, 8628-2)`() throws {
        let response = try success()
        #expect(response.deviceCode.reveal() == "S3CR3T" && response.userCode == "WDJB-MJHT")
        #expect(response.verificationURI.text == "https://h/device")
        #expect(response.verificationURIComplete?.text == "https://h/device?user_code=WDJB-MJHT")
        #expect(response.expiresIn == 1800 && response.interval == 7)
        var dumped = ""
        dump(response, to: &dumped)
        #expect(!"\(response)".contains("S3CR3T") && !dumped.contains("S3CR3T"))
    }

    @Test(arguments: [nil, .null, 0, -3, "soon", true, [:]] as [JSONValue?])
    func `an interval that is missing or no interval is five seconds (8628-2, G5)`(value: JSONValue?) throws {
        #expect(try success(["interval": value ?? .null]).interval == 5)
    }

    @Test(arguments: [nil, 0, -1, "x", ["y"]] as [JSONValue?])
    func `codes whose life is not told live a quarter of an hour, and a note says so (8628-2)`(value: JSONValue?) throws
    {
        let response = try success(["expires_in": value ?? .null])
        #expect(response.expiresIn == 900 && response.notes.count == 1)
        #expect(try success([:]).notes.isEmpty)
    }

    @Test func `lifetimes come as strings and floats, too`() throws {
        let response = try success(["expires_in": "900", "interval": "5.9"])
        #expect(response.expiresIn == 900 && response.interval == 5)
    }

    @Test func `verification_url is verification_uri (8628-2)`() throws {
        let response = try success([
            "verification_uri": nil, "verification_url": "https://www.google.com/device",
            "verification_uri_complete": nil,
        ])
        #expect(response.verificationURI.text == "https://www.google.com/device")
        #expect(response.verificationURIComplete == nil)
    }

    @Test(
        arguments: [
            ("device_code", "\u{FFFD}"), ("device_code", nil),
            ("device_code", ""), ("device_code", 7), ("user_code", nil), ("user_code", ""), ("user_code", "   "),
            ("user_code", "A\u{1B}[2J"), ("user_code", "Ä"), ("user_code", .string(String(repeating: "A", count: 65))),
            ("verification_uri", nil), ("verification_uri", "h/device"), ("verification_uri", "http://h/device"),
            ("verification_uri", "javascript:x"),
        ] as [(String, JSONValue?)]
    )
    func `an answer that lacks what a person needs is refused by name (8628-2)`(member: String, value: JSONValue?) {
        guard case .invalid(let reason) = read([member: value ?? .null]) else {
            Issue.record("\(read([member: value ?? .null]))")
            return
        }
        #expect(reason.contains(member) && !reason.contains("S3CR3T"))
    }

    @Test(arguments: ["http://h/x", "x", ""])
    func `a complete address that is none is left out, since it only adds (8628-3)`(text: String) throws {
        #expect(try success(["verification_uri_complete": .string(text)]).verificationURIComplete == nil)
    }

    @Test func `a form is read like JSON (GitHub)`() throws {
        let form =
            "device_code=DC&expires_in=899&interval=5&user_code=AB12-CD34"
            + "&verification_uri=https%3A%2F%2Fgithub.com%2Flogin%2Fdevice"
        let answer = DeviceAuthorizationAnswer.read(.text(form, type: "application/x-www-form-urlencoded"), now: now)
        guard case .success(let response) = answer else { Issue.record("\(answer)"); return }
        #expect(response.expiresIn == 899 && response.userCode == "AB12-CD34")
        #expect(response.verificationURI.text == "https://github.com/login/device")
    }

    @Test(
        arguments: [
            (.json(["error": "unauthorized_client"], status: 400), "refused unauthorized_client"),
            (.json(["error": "device_flow_disabled"]), "refused device_flow_disabled"),
            (.json(["error": "access_denied"], status: 403), "refused access_denied"),
            (.json(["message": "Not Found"], status: 404), "refused "),
            (.text("<html>", type: "text/html", status: 403), "refused "),
            (.text("<html>", type: "text/html"), "unavailable"), (HTTPResponse(status: 200), "unavailable"),
            (HTTPResponse(status: 302), "unavailable"), (.json(["error": "server_error"], status: 500), "unavailable"),
            (.json(["error": "x"], status: 502), "unavailable"),
            (HTTPResponse(status: 429, headers: ["Retry-After": "9"]), "unavailable 9"),
            (.json(["error": "slow_down"], status: 400), "unavailable"),
        ] as [(HTTPResponse, String)]
    )
    func `what is no success is the provider's no, or passes (E9)`(response: HTTPResponse, meaning: String) {
        let found =
            switch DeviceAuthorizationAnswer.read(response, now: now) {
            case .success: "success"
            case .invalid: "invalid"
            case .refused(let body): "refused \(body.error)"
            case .unavailable(_, let wait): "unavailable" + (wait.map { " \($0.components.seconds)" } ?? "")
            }
        #expect(found == meaning)
    }
}

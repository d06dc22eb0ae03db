// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTP
import HTTPTypes
import StrictJSON
import TestSupport
import Testing

/// The sign-in page in all its states, as a user sees it in Chromium; the pictures stay in `.build/screenshots`.
@Suite struct SignInPageLookTests {
    private static let long = String(repeating: "a-name-without-any-end.", count: 12)

    static let pages: [(name: String, page: SignInPage)] = [
        ("page-signed-in", .signedIn(account: "work", identity: "ada@example.com", provider: "login.example.com")),
        ("page-denied", .denied(account: "work", provider: "login.example.com")),
        (
            "page-failed",
            .failed(
                account: "work",
                reason: "The ID token is over; mind this machine's clock.",
                nextStep: "Sign in again:",
                command: "tokenctl login work",
                provider: "login.example.com"
            )
        ),
        ("page-signed-out", .signedOut(account: "work", provider: "login.example.com")),
        ("page-refused", .notPartOfLogin()),
        ("page-long", .signedIn(account: "work", identity: long + "@example.com", provider: long + "example.com")),
    ]

    @Test func `every state is whole and readable, on a light and on a dark desktop`() async throws {
        let server = try ByteServer { request, connection in
            guard let page = Self.pages.first(where: { "/" + $0.name == request.path })?.page else { return false }
            let headers = page.response.headers.map { WireHeader($0.name, $0.value) }
            let answer = WireResponse(status: page.status, headers: headers, body: page.response.body)
            return connection.send(answer.bytes) && false
        }
        defer { server.stop() }
        let seen = try await ChromiumLook.run(
            Self.pages.map { ($0.name, "http://127.0.0.1:\(server.port)/\($0.name)") }
        )
        #expect(seen.count == 2 * Self.pages.count)
        for look in seen {
            let name = "\(look["name"]?.string ?? "") \(look["scheme"]?.string ?? "")"
            #expect(look["requests"] == .array([]) && look["complaints"] == .array([]), "\(name): \(look)")
            #expect(look["width"]?.int64 == 0, "\(name)")
            // WCAG 2.2, 1.4.3: text of any size.
            #expect(look["contrast"]?.int64 ?? 0 >= 450, "\(name): \(look["contrast"]?.int64 ?? 0)")
            #expect(look["title"]?.string?.isEmpty == false && look["text"]?.string?.isEmpty == false)
            let brightness = look["page"]?.int64 ?? 128
            #expect(look["scheme"] == "light" ? brightness > 200 : brightness < 60, "\(name): \(brightness)")
        }
    }
}

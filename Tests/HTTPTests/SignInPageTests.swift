// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTP
import HTTPTypes
import TestSupport
import Testing

@Suite struct SignInPageTests {
    private static let all: [SignInPage] = [
        .signedIn(account: "work", identity: "ada@example.com", provider: "login.example.com"),
        .denied(account: "work", provider: "login.example.com"),
        .failed(account: "work", reason: "No.", nextStep: "Try again.", command: "tokenctl doctor"),
        .signedOut(account: "work", provider: "login.example.com"),
        .notPartOfLogin(), .notPartOfLogin(status: 404),
    ]

    private func text(_ page: SignInPage) -> String { String(decoding: page.response.body, as: UTF8.self) }

    /// What stands between two texts.
    private func part(_ text: String, from start: String, to end: String) throws -> String {
        let begin = try #require(text.firstRange(of: start))
        let rest = text[begin.upperBound...]
        return String(rest[..<(try #require(rest.firstRange(of: end))).lowerBound])
    }

    @Test(arguments: all) func `nothing may be loaded, framed, run, cached or sent on`(page: SignInPage) throws {
        let headers = page.response.headers
        #expect(headers["Content-Type"] == "text/html; charset=utf-8")
        #expect(headers["Cache-Control"] == "no-store")
        #expect(headers["Referrer-Policy"] == "no-referrer")
        #expect(headers["X-Content-Type-Options"] == "nosniff")
        let policy = try #require(headers["Content-Security-Policy"])
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
        #expect(policy.hasSuffix("; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"))
        // The one address is the name of the SVG language in the tab's icon.
        let html = text(page).replacing("xmlns='http://www.w3.org/2000/svg'", with: "")
        for forbidden in [
            "<script", "javascript:", " onload", " onerror", "style=", "http:", "https:", "<a ", "<img", "<form",
            "url(",
        ] {
            #expect(!html.replacing(SignInPageTests.sheet(of: html), with: "").contains(forbidden))
        }
    }

    private static func sheet(of html: String) -> String {
        html.split(separator: "<style>").last?.split(separator: "</style>").first.map(String.init) ?? ""
    }

    @Test func `the policy names the very style sheet of the page`() async throws {
        let page = SignInPage.signedIn(account: "work")
        let sheet = try part(text(page), from: "<style>", to: "</style>")
        let digest = try await ChildProcess.run(
            "/bin/sh",
            ["-c", "openssl dgst -sha256 -binary | openssl base64 -A"],
            environment: ["PATH": "/usr/bin:/bin"],
            input: .text(sheet)
        )
        let policy = try #require(page.response.headers["Content-Security-Policy"])
        #expect(try part(policy, from: "'sha256-", to: "'") == digest.output)
    }

    @Test func `what comes from outside is text and nothing else`() {
        let evil = "</p><script>alert(1)</script>\u{202E}\u{1B}[2Jx\"'&"
        let pages: [SignInPage] = [
            .signedIn(account: evil, identity: evil, provider: evil),
            .denied(account: evil, provider: evil),
            .failed(account: evil, reason: evil, nextStep: evil, command: evil, provider: evil),
        ]
        for page in pages {
            let html = text(page)
            #expect(!html.contains("<script"))
            #expect(!html.contains("\u{202E}"))
            #expect(!html.contains("\u{1B}"))
            #expect(html.contains("&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;x&quot;&#39;&amp;"))
        }
    }

    @Test func `a long text is cut`() {
        let page = SignInPage.failed(account: "work", reason: String(repeating: "a", count: 10_000), nextStep: "b")
        #expect(page.response.body.count < 9000)
    }

    @Test func `each page says what happened and what to do`() {
        let done = text(.signedIn(account: "work", identity: "ada@example.com", provider: "login.example.com"))
        for words in ["You are signed in", "work", "ada@example.com", "login.example.com", "close this tab"] {
            #expect(done.contains(words))
        }
        #expect(text(.denied(account: "work")).contains("<code>tokenctl login work</code>"))
        let failed = text(.failed(account: "work", reason: "Why.", nextStep: "What.", command: "how"))
        for words in ["Why.", "What.", "<code>how</code>"] { #expect(failed.contains(words)) }
        #expect(text(.notPartOfLogin()).contains("Nothing was changed"))
    }

    @Test func `only a request that fits gets a status of success`() {
        #expect(SignInPage.signedIn(account: "work").response.status == 200)
        #expect(SignInPage.notPartOfLogin().response.status == 400)
        #expect(SignInPage.notPartOfLogin(status: 405).response.headers["Allow"] == "GET")
    }

    @Test(arguments: ["a b", "a;rm -rf", "$(x)", "ä"]) func `a command line never holds what a shell would act on`(
        account: String
    ) {
        #expect(text(.denied(account: account)).contains("<code>tokenctl login ACCOUNT</code>"))
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Synchronization

/// An HTTP client that stands in for a user's browser where a real one would only cost time: it follows redirects,
/// keeps cookies, fills in sign-in forms, and asks for `/favicon.ico` as Chromium does. Loopback `http` alone.
package final class BrowserStandIn: Sendable {
    /// What the browser shows at the end of its redirects.
    package struct Page: Sendable {
        package let url: String
        package let status: Int
        package let headers: [WireHeader]
        package let body: String
        /// Every URL on the way, the last one included.
        package let hops: [String]

        /// The first header of that name.
        package func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    /// What a form's answer is sent as.
    package static let formType = "application/x-www-form-urlencoded"

    /// Headers sent with each request besides `Host`, `Accept`, `User-Agent` and cookies.
    private let extraHeaders: [WireHeader]
    private let asksForIcon: Bool
    private let cookies = Mutex<[String: String]>([:])

    /// A fresh browser without cookies.
    package init(headers: [WireHeader] = [], asksForIcon: Bool = true) {
        extraHeaders = headers
        self.asksForIcon = asksForIcon
    }

    /// Opens a URL and follows its redirects, 10 at most.
    @discardableResult
    package func open(_ url: String) async throws -> Page { try await follow("GET", url, form: nil) }

    /// Sends one request and follows nothing.
    package func request(
        _ method: String,
        _ url: String,
        body: String? = nil,
        type: String = BrowserStandIn.formType
    ) async throws -> Page {
        try await blocking { [self] in try send(method, url, body, type: type, hops: [url]) }
    }

    /// Fills in the form on `page`, hidden fields included, and sends it; `follows` goes on with the redirects.
    @discardableResult
    package func submit(_ page: Page, _ fields: [String: String], follows: Bool = true) async throws -> Page {
        var parameters = WireParameters()
        for (name, value) in HTMLForm.hiddenFields(page.body) { parameters.append(name, value) }
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { parameters[name] = value }
        guard let address = HTTPAddress(page.url) else { throw TimedOut("a form at \(page.url)") }
        let action = HTMLForm.action(page.body).map(address.resolve) ?? page.url
        guard follows else { return try await request("POST", action, body: parameters.encoded) }
        return try await follow("POST", action, form: parameters.encoded)
    }

    /// Opens an authorization URL, signs in at the form it leads to, and returns the page at the end of it all.
    package func signIn(
        _ url: String,
        username: String = "alice",
        password: String = "wonderland"
    ) async throws -> Page {
        let page = try await open(url)
        guard page.body.contains("type=\"password\"") else { return page }
        return try await submit(page, ["username": username, "password": password])
    }

    private func follow(_ method: String, _ url: String, form: String?) async throws -> Page {
        try await blocking { [self] in
            var page = try send(method, url, form, hops: [url])
            while (300..<400).contains(page.status), let location = page.header("Location"), page.hops.count < 10,
                let address = HTTPAddress(page.url)
            {
                let next = address.resolve(location)
                page = try send("GET", next, nil, hops: page.hops + [next])
            }
            if asksForIcon, let address = HTTPAddress(page.url) {
                // Nobody cares for the answer; a listener that is gone by now is as it should be.
                _ = try? send("GET", address.resolve("/favicon.ico"), nil, hops: [], isIcon: true)
            }
            return page
        }
    }

    private func send(
        _ method: String,
        _ url: String,
        _ body: String?,
        type: String = BrowserStandIn.formType,
        hops: [String],
        isIcon: Bool = false
    ) throws -> Page {
        guard let address = HTTPAddress(url) else { throw TimedOut("a loopback http URL instead of \(url)") }
        let exchange = try RawConnection(address)
        try exchange.send(head(method, address, body.map { (type, $0.utf8.count) }, isIcon: isIcon) + (body ?? ""))
        let answer = try exchange.readAnswer()
        keepCookies(answer.headers)
        return Page(url: url, status: answer.status, headers: answer.headers, body: answer.body, hops: hops)
    }

    private func head(
        _ method: String,
        _ address: HTTPAddress,
        _ body: (type: String, length: Int)?,
        isIcon: Bool
    ) -> String {
        var lines = [
            "\(method) \(address.target) HTTP/1.1", "Host: \(address.authority)", "User-Agent: BrowserStandIn",
            "Accept: \(isIcon ? "image/*" : "text/html,*/*;q=0.8")", "Connection: close",
            "Sec-Fetch-Mode: \(isIcon ? "no-cors" : "navigate")",
        ]
        lines += extraHeaders.map { "\($0.name): \($0.value)" }
        let cookies = cookies.withLock { $0.map { "\($0.key)=\($0.value)" } }
        if !cookies.isEmpty { lines.append("Cookie: " + cookies.joined(separator: "; ")) }
        if let body {
            lines += ["Content-Type: \(body.type)", "Content-Length: \(body.length)"]
        }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    private func keepCookies(_ headers: [WireHeader]) {
        for header in headers where header.name.lowercased() == "set-cookie" {
            let pair = header.value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            cookies.withLock { $0[String(pair[0])] = String(pair[1]) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

/// A transport that records exchanges without secrets: of requests, the names, and values that are known to be
/// harmless; of answers, the status, headers by the same rule, and the names of a JSON object's members.
///
/// Only `GET` is passed on. A token request is recorded but not sent: trying a refresh token may spend it.
@LoopActor final class TracingTransport: HTTPTransport {
    private let network: any HTTPTransport
    private(set) var exchanges: [Doctor.Exchange] = []

    /// Values that reveal nothing beyond the account's file.
    private static let harmless: Set<String> = [
        "grant_type", "client_id", "scope", "resource", "audience", "client_assertion_type", "redirect_uri",
    ]
    private static let harmlessHeaders: Set<String> = [
        "accept", "content-type", "user-agent", "date", "retry-after", "cache-control", "server", "content-length",
    ]

    init(_ network: any HTTPTransport) {
        self.network = network
    }

    func send(_ request: HTTPRequest, wire: WireSettings) async throws(TransportError) -> HTTPResponse {
        let isSent = request.method == .get
        var exchange = Doctor.Exchange(
            request: "\(request.method.rawValue) \(Self.shown(request.url))",
            isSent: isSent,
            sent: Self.lines(request.headers) + Self.form(request)
        )
        defer { exchanges.append(exchange) }
        guard isSent else {
            throw TransportError(code: .cancelled, message: "made, and not sent", mayHaveBeenSent: false)
        }
        do {
            let response = try await network.send(request, wire: wire)
            exchange.received = ["HTTP \(response.status)"] + Self.lines(response.headers) + Self.body(response)
            return response
        } catch {
            exchange.received = [DisplayText.sanitized(error.message)]
            throw error
        }
    }

    private static func shown(_ url: WebURL) -> String {
        let names = (url.queryParameters ?? [:]).map { $0.name + "=…" }
        return DisplayText.sanitized(url.description + (names.isEmpty ? "" : "?" + names.joined(separator: "&")))
    }

    private static func lines(_ headers: HTTPHeaders) -> [String] {
        headers.map { name, value in
            let known = name.lowercased()
            if harmlessHeaders.contains(known) { return DisplayText.sanitized("\(name): \(value)") }
            // The scheme of an Authorization or a challenge is harmless; what follows is secret.
            let isScheme = ["authorization", "www-authenticate"].contains(known)
            return DisplayText.sanitized("\(name): " + (isScheme ? value.prefix { $0 != " " } + " …" : "…"))
        }
    }

    private static func form(_ request: HTTPRequest) -> [String] {
        guard let body = request.body else { return [] }
        return (FormParameters.decode(body.reveal()) ?? [:]).map { element in
            DisplayText.sanitized("\(element.name)=" + (harmless.contains(element.name) ? element.value : "…"))
        }
    }

    private static func body(_ response: HTTPResponse) -> [String] {
        guard let object = (try? ProviderJSON.read(response.body))?.object else {
            return ["\(response.body.count) bytes, no JSON object"]
        }
        return ["a JSON object: " + DisplayText.sanitized(object.names.joined(separator: ", "), limit: 2000)]
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Systemd

@testable import Broker

/// A network that a test plays: it awaits the requests and answers them, or lets a script do so.
@LoopActor final class ScriptedTransport: HTTPTransport {
    typealias Reply = Result<HTTPResponse, TransportError>

    /// One request that waits for its answer.
    @LoopActor final class Exchange {
        let request: HTTPRequest
        let wire: WireSettings
        private var continuation: UnsafeContinuation<Reply, Never>?

        fileprivate init(_ request: HTTPRequest, _ wire: WireSettings, _ continuation: UnsafeContinuation<Reply, Never>)
        {
            self.request = request
            self.wire = wire
            self.continuation = continuation
        }

        /// Nothing at all.
        fileprivate init() {
            request = HTTPRequest(method: .get, url: TestIssuer.nowhere)
            wire = WireSettings()
        }

        /// The posted body.
        var form: FormParameters { request.form }

        /// Answers; a second answer is none.
        func answer(_ reply: Reply) {
            continuation?.resume(returning: reply)
            continuation = nil
        }

        func answer(_ response: HTTPResponse) { answer(.success(response)) }

        func fail(_ code: TransportError.Code, mayHaveBeenSent: Bool) {
            answer(.failure(.test(code, mayHaveBeenSent: mayHaveBeenSent)))
        }
    }

    /// Answers to GET requests by URL: metadata, keys.
    var documents: [String: HTTPResponse] = [:]
    /// Answers what it can; nil leaves the request to `next()`.
    var script: (@LoopActor (HTTPRequest) -> Reply?)?
    /// Every request, in the order of sending.
    private(set) var requests: [HTTPRequest] = []
    private var waiting: [Exchange] = []
    private var receivers: [UnsafeContinuation<Exchange, Never>] = []

    /// The requests that carried a form: what was sent to token and revocation endpoints.
    var posts: [HTTPRequest] { requests.filter { $0.method == .post } }

    /// What was sent to the token endpoint to renew a grant.
    var refreshes: [FormParameters] { posts.map(\.form).filter { $0["grant_type"] == "refresh_token" } }

    /// Requests that wait for a test's answer.
    var waitingCount: Int { waiting.count }

    func send(_ request: HTTPRequest, wire: WireSettings) async throws(TransportError) -> HTTPResponse {
        requests.append(request)
        if request.method == .get, let document = documents[request.url.text] { return document }
        if let reply = script?(request) { return try reply.get() }
        let reply = await withTaskCancellationHandler {
            await withUnsafeContinuation { deliver(Exchange(request, wire, $0)) }
        } onCancel: {
            Task { @LoopActor in cancel(request) }
        }
        return try reply.get()
    }

    /// The next request that no document and no script has answered; a test whose time is up gets an empty one.
    func next() async -> Exchange {
        if !waiting.isEmpty { return waiting.removeFirst() }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { receivers.append($0) }
        } onCancel: {
            Task { @LoopActor in
                for receiver in receivers { receiver.resume(returning: Exchange()) }
                receivers = []
            }
        }
    }

    /// Answers the next request once it is there.
    func next(answer response: HTTPResponse) {
        Task.onLoop { [self] in await next().answer(response) }
    }

    /// The process is gone: no answer reaches it any more.
    func forgetWaiting() {
        waiting = []
    }

    private func deliver(_ exchange: Exchange) {
        if receivers.isEmpty {
            waiting.append(exchange)
        } else {
            receivers.removeFirst().resume(returning: exchange)
        }
    }

    private func cancel(_ request: HTTPRequest) {
        guard let index = waiting.firstIndex(where: { $0.request.url == request.url }) else { return }
        waiting.remove(at: index).fail(.cancelled, mayHaveBeenSent: true)
    }
}

extension HTTPRequest {
    /// What was posted, as a form.
    var form: FormParameters {
        FormParameters.decode(body?.reveal() ?? "") ?? FormParameters()
    }
}

extension TransportError {
    /// An error of the network for a test.
    static func test(_ code: Code, mayHaveBeenSent: Bool) -> TransportError {
        TransportError(code: code, message: "idp.example: \(code.rawValue)", mayHaveBeenSent: mayHaveBeenSent)
    }
}

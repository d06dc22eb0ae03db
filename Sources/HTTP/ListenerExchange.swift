// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CMicroHTTPD
import HTTPTypes

/// One request and its answer. Loop's thread only.
///
/// libmicrohttpd calls once with the headers, then with pieces of the body, then once for the answer. If the handler
/// does not answer at once, the connection is suspended, and resumed by the answer.
final class ListenerExchange {
    /// The largest body that is read.
    static let bodyLimit = 64 << 10

    private enum Phase {
        /// The target is known, the headers are not.
        case begun
        /// The body is being read.
        case receiving(HTTPMethod, HTTPHeaders)
        /// The handler has the request.
        case asked(isSuspended: Bool)
        /// The answer is known.
        case answered(HTTPResponse)
        /// libmicrohttpd has the answer.
        case sending
        /// Delivered, or the connection is gone.
        case over
    }

    private let connection: OpaquePointer
    private let target: String
    private var phase = Phase.begun
    private var body: [UInt8] = []
    private var delivered: (() -> Void)?
    private var whenAnswered: () -> Void

    init(connection: OpaquePointer, target: String, whenAnswered: @escaping () -> Void) {
        self.connection = connection
        self.target = target
        self.whenAnswered = whenAnswered
    }

    /// Whether the handler has the request and the answer is not delivered yet.
    var isOwed: Bool {
        switch phase {
        case .begun, .receiving, .over: false
        case .asked, .answered, .sending: true
        }
    }

    /// Takes the answer; only the first one counts.
    func answer(_ response: HTTPResponse, delivered: (() -> Void)?) {
        guard case .asked(let isSuspended) = phase else { return }
        phase = .answered(response)
        self.delivered = delivered
        guard isSuspended else { return }
        MHD_resume_connection(connection)
        whenAnswered()
    }

    /// The request is over: delivered, or its connection is gone.
    func end(isDelivered: Bool) {
        phase = .over
        let delivered = self.delivered
        self.delivered = nil
        if isDelivered { delivered?() }
    }

    /// Prepares the connection for its daemon's end, which forbids suspended ones.
    func abandon() {
        if case .asked(isSuspended: true) = phase { MHD_resume_connection(connection) }
        phase = .over
        delivered = nil
    }
}

// libmicrohttpd's callbacks.
extension ListenerExchange {
    /// Takes the next step of the request. `headers` is called once.
    func proceed(
        method: String,
        headers: () -> HTTPHeaders,
        bytes: UnsafeRawBufferPointer,
        handler: ListenerExchanges.Handler
    ) -> MHD_Result {
        switch phase {
        case .begun:
            return begin(method: method, headers: headers())
        case .receiving(let method, let headers):
            guard bytes.isEmpty else { return receive(bytes) }
            return ask(method, headers, handler)
        case .answered(let response):
            return send(response)
        case .asked, .sending:
            return .YES
        case .over:
            return .NO
        }
    }

    private func begin(method: String, headers: HTTPHeaders) -> MHD_Result {
        guard let method = HTTPMethod(rawValue: method) else {
            return send(SignInPage.notPartOfLogin(status: 405).response)
        }
        let length = headers["Content-Length"].map { Int($0) ?? .max } ?? 0
        guard length <= Self.bodyLimit else {
            return send(SignInPage.notPartOfLogin(status: 413).response)
        }
        phase = .receiving(method, headers)
        return .YES
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) -> MHD_Result {
        // A body without a stated length can only be cut off at this point, not answered.
        guard body.count + bytes.count <= Self.bodyLimit else { return .NO }
        body.append(contentsOf: bytes)
        return .YES
    }

    private func ask(
        _ method: HTTPMethod,
        _ headers: HTTPHeaders,
        _ handler: ListenerExchanges.Handler
    ) -> MHD_Result {
        guard let request = ListenerRequest(method: method, target: target, headers: headers, body: body) else {
            return send(SignInPage.notPartOfLogin(status: 400).response)
        }
        body = []
        phase = .asked(isSuspended: false)
        handler(request, self)
        if case .answered(let response) = phase { return send(response) }
        phase = .asked(isSuspended: true)
        MHD_suspend_connection(connection)
        return .YES
    }

    /// Sends the answer and closes the connection: no idle one remains.
    private func send(_ response: HTTPResponse) -> MHD_Result {
        phase = .sending
        let made = response.body.withUnsafeBytes { tokend_mhd_response($0.baseAddress, $0.count) }
        guard let made else { return .NO }
        defer { MHD_destroy_response(made) }
        for (name, value) in response.headers {
            MHD_add_response_header(made, name, value)
        }
        MHD_add_response_header(made, "Connection", "close")
        return MHD_queue_response(connection, UInt32(response.status), made)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import HTTP
import HTTPTypes
import Secrets
import Systemd
import TestSupport

/// What came of a request, as a value that a test can look into.
typealias Outcome = Result<HTTPResponse, TransportError>

/// Sends a request through a transport of its own.
func exchange(_ request: HTTPRequest, _ settings: TransportSettings = TransportSettings()) async -> Outcome {
    LoopThread.start
    return await exchangeOnLoop(request, settings)
}

@LoopActor private func exchangeOnLoop(_ request: HTTPRequest, _ settings: TransportSettings) async -> Outcome {
    await CurlTransport(settings: settings).outcome(of: request)
}

extension CurlTransport {
    /// `send` without a throw.
    func outcome(of request: HTTPRequest) async -> Outcome {
        do {
            return .success(try await send(request))
        } catch {
            return .failure(error)
        }
    }
}

extension Outcome {
    /// The error, nil for an answer.
    var failure: TransportError? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}

extension HTTPRequest {
    /// A GET.
    static func get(_ url: String, timeout: Duration? = nil) throws -> HTTPRequest {
        HTTPRequest(url: try WebURL(url), timeout: timeout)
    }

    /// A POST of a form with a refresh token in it.
    static func refresh(_ url: String, timeout: Duration? = nil) throws -> HTTPRequest {
        HTTPRequest(
            method: .post,
            url: try WebURL(url),
            headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Secret("grant_type=refresh_token&refresh_token=rt-very-secret"),
            timeout: timeout
        )
    }
}

extension ByteServer {
    /// A URL of this server.
    func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// A server that answers each connection's requests with these bytes and closes.
    static func answering(_ answer: String) throws -> ByteServer {
        try ByteServer { _, connection in
            connection.send(Array(answer.utf8))
            return false
        }
    }
}

/// A port of 127.0.0.1 on which nobody listens: bound, so that nobody else gets it, but not listening.
final class DeafPort: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard bound else { throw SystemCallError("bind") }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}

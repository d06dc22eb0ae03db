// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import HTTP
import HTTPTypes
import Systemd

/// Reaches providers with curl: one transport for accounts with equal settings.
final class CurlHTTPTransport: HTTPTransport {
    private let loop: EventLoop
    private let userAgent: String
    private var transports: [WireSettings: CurlTransport] = [:]

    init(loop: EventLoop, userAgent: String) {
        self.loop = loop
        self.userAgent = userAgent
    }

    func send(_ request: HTTPRequest, wire: WireSettings) async throws(TransportError) -> HTTPResponse {
        try await transport(for: wire).send(request)
    }

    /// Drops earlier settings, resolved names, and idle connections: on another network they may be dead without
    /// notice.
    func forgetAll() {
        transports = [:]
    }

    private func transport(for wire: WireSettings) throws(TransportError) -> CurlTransport {
        if let transport = transports[wire] { return transport }
        var settings = TransportSettings(timeout: wire.timeout, userAgent: userAgent)
        // A name's first address may be dead: it gets half of the time, and the others get the rest.
        settings.connectTimeout = min(settings.connectTimeout, wire.timeout)
        settings.certificates = try authorities(wire)
        if let text = wire.proxy {
            guard let proxy = TransportSettings.Proxy(text) else {
                throw TransportError(
                    code: .proxy,
                    message: "the proxy in config.json5 is not a proxy's URL",
                    mayHaveBeenSent: false
                )
            }
            settings.proxy = proxy
        }
        let transport = CurlTransport(loop: loop, settings: settings)
        transports[wire] = transport
        return transport
    }

    /// The files' content when the configuration was read; other content is trusted only after a reload.
    private func authorities(_ wire: WireSettings) throws(TransportError) -> CertificateFile? {
        guard !wire.authorities.isEmpty else { return nil }
        var contents: [UInt8] = []
        for file in wire.authorities {
            do {
                let read = try CertificateFile(path: file.path)
                guard ConfigurationFolders.digest(of: read.contents) == file.digest else {
                    throw TransportError(
                        code: .tls,
                        message: "\(file.path) has changed; reload with: tokenctl reload",
                        mayHaveBeenSent: false
                    )
                }
                contents += read.contents + [UInt8(ascii: "\n")]
            } catch let error as CertificateFileError {
                throw TransportError(code: .tls, message: error.message, mayHaveBeenSent: false)
            } catch let error as TransportError {
                throw error
            } catch {
                throw TransportError(code: .tls, message: "\(error)", mayHaveBeenSent: false)
            }
        }
        let paths = wire.authorities.map(\.path).joined(separator: ", ")
        do {
            return try CertificateFile(path: paths, contents: contents)
        } catch {
            throw TransportError(code: .tls, message: error.message, mayHaveBeenSent: false)
        }
    }
}

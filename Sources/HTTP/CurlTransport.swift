// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import Systemd

/// Sends requests with libcurl's multi-socket interface, driven by the loop.
///
/// TLS 1.2 or later, the server's name and certificate checked, no redirect followed, plain `http` to loopback
/// addresses only, no cookie, no cache, no `.netrc`. An answer is at most 1 MiB after decompression with 64 KiB of
/// headers. A request with a body (POST, PUT) uses a new connection: curl would otherwise repeat it by itself if a kept
/// connection is dead, and a refresh token or a code must not be sent twice without the daemon's knowledge. Other
/// connections are kept for 10 s; then nothing is open and nothing wakes.
@LoopActor package final class CurlTransport {
    private let loop: EventLoop
    private let settings: TransportSettings
    private var multi: CurlMulti?
    private var idleTimer: EventSource?
    private var lastID: UInt64 = 0

    /// A transport for requests with these settings; nothing is opened before the first one.
    package init(loop: EventLoop = .main, settings: TransportSettings = TransportSettings()) {
        self.loop = loop
        self.settings = settings
    }

    // On the loop, wherever it is released: curl closes descriptors, and may only be used on the loop.
    isolated deinit {}

    /// How many requests are under way.
    package var requestsUnderWay: Int { multi?.count ?? 0 }

    /// Sends a request and waits for the whole answer, whatever its status.
    ///
    /// The timeout is the request's, else the settings', on the boot-time clock. A cancelled task gets `.cancelled` at
    /// once, and the connection is closed.
    package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let host = request.url.authority
        guard !Task.isCancelled else { throw .cancelled(host: host, mayHaveBeenSent: false) }
        let transfer = try CurlTransfer(request, settings: settings)
        let multi = try usableMulti()
        lastID += 1
        let id = lastID
        let result: Result<HTTPResponse, TransportError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The task may have been cancelled on the way (`Task.onLoop`), before there was a transfer to cancel.
                guard !Task.isCancelled else {
                    return continuation.resume(returning: .failure(.cancelled(host: host, mayHaveBeenSent: false)))
                }
                multi.start(transfer, id: id, timeout: request.timeout ?? settings.timeout) {
                    continuation.resume(returning: $0)
                }
            }
        } onCancel: {
            Task.onLoop { self.cancel(id) }
        }
        return try result.get()
    }

    private func cancel(_ id: UInt64) {
        multi?.cancel(id)
    }

    private func usableMulti() throws(TransportError) -> CurlMulti {
        if let multi { return multi }
        let made = try CurlMulti(loop: loop)
        made.whenIdle = { [weak self] in LoopActor.assumeIsolated { self?.becameIdle() } }
        multi = made
        return made
    }

    /// Closes kept connections after a while, with one wake-up.
    private func becameIdle() {
        let end = loop.bootTime.advanced(by: settings.idleTime)
        if let idleTimer {
            idleTimer.rearm(at: end)
        } else {
            idleTimer = loop.addTimer(at: end, accuracy: settings.idleTime / 2, priority: .idle) { [weak self] in
                self?.dropIdleConnections()
            }
        }
    }

    private func dropIdleConnections() {
        guard requestsUnderWay == 0 else { return }
        multi = nil
        // The work of these requests is over, too.
        ProcessMemory.giveBack()
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CCurl
import Glibc
import HTTPTypes
import Linux
import Systemd

/// One curl multi handle on the loop: curl names the sockets and the time that it waits for, and the loop calls it when
/// they are due. Loop's thread only.
///
/// A transfer is released here alone, after `curl_multi_socket_action` has returned: never inside one of curl's
/// callbacks.
final class CurlMulti {
    /// Called once by `start`.
    typealias Completion = (Result<HTTPResponse, TransportError>) -> Void

    private struct Running {
        let transfer: CurlTransfer
        let deadline: EventSource
        let completion: Completion
    }

    /// Called when the last request has ended.
    var whenIdle: () -> Void = {}

    private let loop: EventLoop
    private let handle: UnsafeMutableRawPointer
    private var sockets: [Int32: EventSource] = [:]
    private var timer: EventSource?
    /// curl has ended the watch of a socket.
    private var hasDropped = false
    private var running: [UInt64: Running] = [:]

    /// How many requests are under way.
    var count: Int { running.count }

    init(loop: EventLoop) throws(TransportError) {
        // Thread-safe and reference-counted in this libcurl; only the process's first call does the work.
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let handle = curl_multi_init() else {
            throw TransportError(
                code: .protocolViolation,
                message: "the HTTP client cannot be set up: memory is short",
                mayHaveBeenSent: false
            )
        }
        self.loop = loop
        self.handle = handle
        tokend_curl_multi_set_functions(
            handle,
            { _, socket, what, context, _ in CurlMulti.from(context)?.watch(socket, what) ?? 0 },
            { _, milliseconds, context in CurlMulti.from(context)?.wait(milliseconds) ?? 0 },
            Unmanaged.passUnretained(self).toOpaque()
        )
        tokend_curl_multi_set_long(handle, CURLMOPT_MAXCONNECTS, 8)
    }

    deinit {
        // No callback must run with an object that is being freed.
        tokend_curl_multi_set_functions(handle, nil, nil, nil)
        for one in running.values { curl_multi_remove_handle(handle, one.transfer.easy) }
        curl_multi_cleanup(handle)
    }

    /// Starts a transfer; `completion` is called once, on the loop.
    func start(_ transfer: CurlTransfer, id: UInt64, timeout: Duration, completion: @escaping Completion) {
        let deadline = loop.addTimer(at: loop.bootTime.advanced(by: timeout), accuracy: .milliseconds(20)) {
            [unowned self] in
            end(id, with: .failure(transfer.timedOut(after: timeout)))
        }
        running[id] = Running(transfer: transfer, deadline: deadline, completion: completion)
        guard setOpenSocket(transfer.easy) == CURLE_OK, curl_multi_add_handle(handle, transfer.easy) == CURLM_OK else {
            return end(id, with: transfer.result(CURLE_FAILED_INIT))
        }
    }

    /// Ends a transfer that its caller no longer wants; nothing happens if it is over.
    func cancel(_ id: UInt64) {
        guard let transfer = running[id]?.transfer else { return }
        end(id, with: .failure(transfer.cancelled))
    }

    private func end(_ id: UInt64, with result: Result<HTTPResponse, TransportError>) {
        guard let ended = running.removeValue(forKey: id) else { return }
        ended.deadline.cancel()
        curl_multi_remove_handle(handle, ended.transfer.easy)
        ended.completion(result)
        if running.isEmpty { whenIdle() }
    }
}

// The interface between curl and the loop.
extension CurlMulti {
    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlMulti? {
        context.map { Unmanaged<CurlMulti>.fromOpaque($0).takeUnretainedValue() }
    }

    private func setOpenSocket(_ easy: UnsafeMutableRawPointer) -> CURLcode {
        tokend_curl_set_open_socket(
            easy,
            { context, _, address in
                guard let address, let multi = CurlMulti.from(context) else { return CURL_SOCKET_BAD }
                return multi.open(address.pointee)
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Opens a socket for curl.
    ///
    /// curl closes an abandoned socket without a callback. If the next one gets the same number and waits for the same
    /// events, there is no callback either: the watch continues for the new one.
    private func open(_ address: curl_sockaddr) -> Int32 {
        let socket = SocketDescriptor.open(
            family: address.family,
            type: address.socktype,
            protocol: address.protocol
        )
        if let events = sockets[socket]?.events { _ = begin(socket, events) }
        return socket
    }

    /// Watches a socket for these events, replacing an earlier watch.
    private func begin(_ socket: Int32, _ events: DescriptorEvents) -> Bool {
        sockets.removeValue(forKey: socket)?.cancel()
        let source = try? loop.addDescriptor(socket, events: events) { [weak self] events in
            self?.act(socket, events)
        }
        sockets[socket] = source
        return source != nil
    }

    /// curl's socket callback: begins, changes or ends the watch of a socket.
    private func watch(_ socket: Int32, _ what: Int32) -> Int32 {
        guard what != CURL_POLL_REMOVE else {
            hasDropped = true
            sockets.removeValue(forKey: socket)?.cancel()
            return 0
        }
        var events: DescriptorEvents = []
        if what & CURL_POLL_IN != 0 { events.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { events.insert(.writable) }
        // The daemon's child processes must not inherit it; a name lookup has its own socket pair.
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        return begin(socket, events) ? 0 : -1
    }

    /// curl's timer callback: when it must be called without socket activity; -1 for never.
    private func wait(_ milliseconds: Int) -> Int32 {
        guard milliseconds >= 0 else {
            timer?.disarm()
            return 0
        }
        let instant = loop.bootTime.advanced(by: .milliseconds(milliseconds))
        if let timer {
            timer.rearm(at: instant)
        } else {
            timer = loop.addTimer(at: instant, accuracy: .milliseconds(1)) { [weak self] in
                self?.act(CURL_SOCKET_TIMEOUT, [])
            }
        }
        return 0
    }

    private func act(_ socket: Int32, _ events: DescriptorEvents) {
        var mask: Int32 = 0
        if !events.isDisjoint(with: [.readable, .hangUp]) { mask |= CURL_CSELECT_IN }
        if events.contains(.writable) { mask |= CURL_CSELECT_OUT }
        if events.contains(.error) { mask |= CURL_CSELECT_ERR }
        var stillRunning: Int32 = 0
        hasDropped = false
        var code = curl_multi_socket_action(handle, socket, mask, &stillRunning)
        // An address was given up: curl tries the next one only when called again, without requesting it.
        if hasDropped, code == CURLM_OK { code = tokend_curl_multi_run(handle, &stillRunning) }
        collect()
        guard code == CURLM_OK else { return abandon() }
    }

    /// Completes the transfers that have ended.
    private func collect() {
        var ended: [(id: UInt64, code: CURLcode)] = []
        var left: Int32 = 0
        while let message = curl_multi_info_read(handle, &left) {
            guard message.pointee.msg == CURLMSG_DONE,
                let found = running.first(where: { $0.value.transfer.easy == message.pointee.easy_handle })
            else { continue }
            ended.append((found.key, message.pointee.data.result))
        }
        for (id, code) in ended {
            guard let transfer = running[id]?.transfer else { continue }
            end(id, with: transfer.result(code))
        }
    }

    /// The multi handle is unusable (a socket could not be watched): every transfer ends.
    private func abandon() {
        for (id, one) in running {
            end(id, with: one.transfer.result(CURLE_FAILED_INIT))
        }
    }
}

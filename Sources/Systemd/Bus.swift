// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc
import Linux

/// A connection to a D-Bus bus, on a loop. Loop's thread only.
///
/// Nothing here blocks: the connection is set up while the loop runs, and calls are queued until it is ready.
package final class Bus {
    /// Which bus.
    package enum Address: Sendable, Equatable {
        /// The session's (see `SessionBusAddress`).
        case user
        /// The machine's.
        case system
        /// A bus at a D-Bus address, for tests.
        case at(String)
    }

    let bus: OpaquePointer
    /// The loop that serves it.
    let loop: EventLoop
    /// Calls of `call(_:deadline:)` that wait for their reply.
    private var waiting: [UInt64: BusSlot] = [:]
    private var lastNumber: UInt64 = 0

    /// Connects to `address`.
    /// - Throws: if there is no such bus (`ENOENT`, `ENOMEDIUM`, `ECONNREFUSED`, …).
    package init(_ address: Address, loop: EventLoop) throws(SystemdError) {
        loop.preconditionOnLoop()
        bus = try Self.open(address)
        self.loop = loop
        do {
            // Losing the bus is an event, not the end of the process.
            try SystemdError.check(sd_bus_set_exit_on_disconnect(bus, 0), "set up a D-Bus connection")
            try SystemdError.check(
                sd_bus_attach_event(bus, loop.event, Int32(EventPriority.normal.rawValue)),
                "serve a D-Bus connection"
            )
        } catch {
            sd_bus_close_unref(bus)
            throw error
        }
    }

    deinit {
        loop.queue.release(bus, with: sd_bus_close_unref)
    }

    /// Whether the connection is open, or being set up.
    package var isOpen: Bool { sd_bus_is_open(bus) > 0 }

    /// Ends the connection; calls under way end with `ECANCELED`.
    package func close() {
        loop.preconditionOnLoop()
        sd_bus_close(bus)
        waiting.removeAll()
    }

    /// Calls a method, and passes its results or the error to `reply`: once, unless the slot ends or `close()` comes
    /// first.
    /// - Throws: if the call cannot be sent: the connection is gone, an argument is malformed.
    package func call(
        _ call: BusCall,
        deadline: Duration,
        reply: @escaping (Result<[BusValue], SystemdError>) -> Void
    ) throws(SystemdError) -> BusSlot {
        loop.preconditionOnLoop()
        let operation = "call \(call.member) of \(call.destination)"
        let message = try makeMessage(call, operation)
        defer { sd_bus_message_unref(message) }
        return try BusSlot.make(on: loop.queue, operation) { message in
            reply(Result { () throws(SystemdError) in try Self.results(of: message, operation) })
        } add: { slot, userdata in
            // 0 means sd-bus's own 25 s.
            let limit = UInt64(max(deadline.microseconds, 1))
            return sd_bus_call_async(bus, &slot, message, BusSlot.callback, userdata, limit)
        }
    }

    /// Calls a method and waits for its results; `ETIMEDOUT` if none came by `deadline`.
    ///
    /// Cancelling the calling task does not shorten the wait: only the deadline limits it.
    package func call(_ call: BusCall, deadline: Duration) async throws(SystemdError) -> [BusValue] {
        let result = await withCheckedContinuation { continuation in
            let pending = PendingReply(continuation, "call \(call.member) of \(call.destination)")
            lastNumber += 1
            let number = lastNumber
            do throws(SystemdError) {
                waiting[number] = try self.call(call, deadline: deadline) { [weak self] result in
                    pending.resume(result)
                    self?.waiting[number] = nil
                }
            } catch {
                pending.resume(.failure(error))
            }
        }
        return try result.get()
    }

    /// Passes every matching signal to `handler`; one that is addressed to this connection only if the match allows it.
    package func match(
        _ match: BusMatch,
        handler: @escaping (BusSignal) -> Void
    ) throws(SystemdError) -> BusSlot {
        try BusSlot.make(on: loop.queue, "match D-Bus signals") { message in
            guard match.takesAddressed || sd_bus_message_get_destination(message) == nil,
                let signal = BusSignal(message)
            else { return }
            handler(signal)
        } add: {
            sd_bus_add_match_async(bus, &$0, match.rule, BusSlot.callback, nil, $1)
        }
    }

    private static func open(_ address: Address) throws(SystemdError) -> OpaquePointer {
        var bus: OpaquePointer?
        switch address {
        case .user:
            if let living = SessionBusAddress.replacement(environment: SessionBusAddress.ownEnvironment) {
                return try open(.at(living))
            }
            try SystemdError.check(sd_bus_open_user(&bus), "connect to the session bus")
        case .system: try SystemdError.check(sd_bus_open_system(&bus), "connect to the system bus")
        case .at(let text):
            try SystemdError.check(sd_bus_new(&bus), "connect to a bus")
            do {
                try SystemdError.check(sd_bus_set_address(bus, text), "connect to a bus")
                try SystemdError.check(sd_bus_set_bus_client(bus, 1), "connect to a bus")
                try SystemdError.check(sd_bus_start(bus), "connect to a bus")
            } catch {
                sd_bus_close_unref(bus)
                throw error
            }
        }
        guard let bus else { throw SystemdError(code: ENOMEM, operation: "connect to a bus") }
        return bus
    }

    /// Builds the message of a call; the caller releases it.
    private func makeMessage(_ call: BusCall, _ operation: String) throws(SystemdError) -> OpaquePointer {
        var made: OpaquePointer?
        try SystemdError.check(
            sd_bus_message_new_method_call(
                bus,
                &made,
                call.destination,
                call.path,
                call.interface,
                call.member
            ),
            operation
        )
        guard let message = made else { throw SystemdError(code: ENOMEM, operation: operation) }
        do {
            if !call.startsPeer {
                try SystemdError.check(sd_bus_message_set_auto_start(message, 0), operation)
            }
            for argument in call.arguments { try argument.append(to: message) }
            return message
        } catch {
            sd_bus_message_unref(message)
            throw error
        }
    }

    /// The results in a reply, or its error.
    private static func results(of message: OpaquePointer, _ operation: String) throws(SystemdError) -> [BusValue] {
        guard let error = sd_bus_message_get_error(message) else { return try BusValue.readAll(of: message) }
        let name = error.pointee.name.map { String(cString: $0) } ?? ""
        let text = error.pointee.message.map { String(cString: $0) } ?? name
        throw SystemdError(
            code: sd_bus_error_get_errno(error),
            operation: operation,
            message: "cannot \(operation): \(text)",
            busName: name
        )
    }
}

/// The waiting end of an asynchronous call: resumed once, at the latest when sd-bus drops the call.
private final class PendingReply {
    typealias Outcome = Result<[BusValue], SystemdError>
    private var continuation: CheckedContinuation<Outcome, Never>?
    private let operation: String

    init(_ continuation: CheckedContinuation<Outcome, Never>, _ operation: String) {
        self.continuation = continuation
        self.operation = operation
    }

    deinit {
        resume(.failure(SystemdError(code: ECANCELED, operation: operation)))
    }

    func resume(_ outcome: Outcome) {
        continuation?.resume(returning: outcome)
        continuation = nil
    }
}

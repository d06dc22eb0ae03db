// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc
import TestSupport

@testable import Systemd

/// A `dbus-daemon` of the test's own, ended by its pid with this object.
final class PrivateBus: Sendable {
    /// What to connect to.
    let address: String
    private let pid: pid_t
    /// Where its socket is, which it leaves when it is killed.
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let pipe = try Pipe()
        let arguments = [
            "dbus-daemon", "--session", "--nofork", "--nopidfile", "--nosyslog", "--print-address=\(pipe.writeEnd)",
            "--address=unix:path=\(folder.path)/bus",
        ]
        pid = try startProgram(arguments, keeping: pipe.writeEnd)
        pipe.closeWriteEnd()
        address = pipe.readLine()
        if address.isEmpty { throw SystemdError(code: EIO, operation: "start dbus-daemon") }
    }

    /// Ends the bus at once.
    func kill() {
        Glibc.kill(pid, SIGKILL)
    }

    deinit {
        Glibc.kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }
}

/// The other side of a conversation: owns a name on the bus, answers calls and emits signals.
@LoopActor
final class BusPeer {
    let bus: Bus
    private var slot: BusSlot?
    /// The calls that came: member and arguments.
    private(set) var calls: [(member: String, arguments: [BusValue])] = []

    /// Connects and waits until it owns `name`; `answer` gives the results of a call, nil for an answer that
    /// never comes.
    init(_ name: String, at address: String, answer: @escaping (String, [BusValue]) -> [BusValue]? = { _, _ in [] })
        async throws
    {
        bus = try Bus(.at(address), loop: .main)
        slot = try BusSlot.make(on: EventLoop.main.queue, "serve") { [weak self] message in
            self?.serve(message, answer)
        } add: { slot, userdata in
            sd_bus_add_filter(
                bus.bus,
                &slot,
                { message, userdata, _ in
                    guard let message, isCall(message) else { return 0 }
                    _ = EventHandler<OpaquePointer>.call(userdata, message)
                    return 1
                },
                userdata
            )
        }
        _ = try await bus.call(Bus.busCall("RequestName", [.string(name), .uint32(4)]), deadline: .seconds(5))
    }

    /// - Parameter destination: who alone gets it; nil: everyone who asked for such signals.
    func emit(
        path: String,
        interface: String,
        member: String,
        _ arguments: [BusValue],
        to destination: String? = nil
    ) throws {
        var made: OpaquePointer?
        try SystemdError.check(sd_bus_message_new_signal(bus.bus, &made, path, interface, member), "emit")
        guard let message = made else { return }
        defer { sd_bus_message_unref(message) }
        for argument in arguments { try argument.append(to: message) }
        if let destination { try SystemdError.check(sd_bus_message_set_destination(message, destination), "emit") }
        try SystemdError.check(sd_bus_send(bus.bus, message, nil), "emit")
    }

    private func serve(_ message: OpaquePointer, _ answer: (String, [BusValue]) -> [BusValue]?) {
        let member = sd_bus_message_get_member(message).map { String(cString: $0) } ?? ""
        guard let arguments = try? BusValue.readAll(of: message) else { return }
        calls.append((member, arguments))
        guard let results = answer(member, arguments) else { return }
        var reply: OpaquePointer?
        sd_bus_message_new_method_return(message, &reply)
        guard let reply else { return }
        for result in results { try? result.append(to: reply) }
        sd_bus_send(bus.bus, reply, nil)
        sd_bus_message_unref(reply)
    }
}

private nonisolated func isCall(_ message: OpaquePointer) -> Bool {
    var type: UInt8 = 0
    return sd_bus_message_get_type(message, &type) >= 0 && type == UInt8(SD_BUS_MESSAGE_METHOD_CALL)
}

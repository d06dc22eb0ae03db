// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd

/// A call in progress, or a match: its lifetime is this object's, whose end, on any thread, cancels it.
package final class BusSlot {
    private var slot: OpaquePointer?
    private let queue: JobQueue

    private init(slot: OpaquePointer, queue: JobQueue) {
        self.slot = slot
        self.queue = queue
    }

    deinit {
        guard let slot else { return }
        queue.release(slot, with: sd_bus_slot_unref)
    }

    /// Ends it now. Loop's thread only; may be called in its own handler, and twice.
    package func cancel() {
        queue.preconditionOnLoop()
        guard let slot else { return }
        self.slot = nil
        sd_bus_slot_unref(slot)
    }

    /// Creates a slot with `add` (an sd-bus function), whose `userdata` holds `handler` until sd-bus frees it.
    static func make(
        on queue: JobQueue,
        _ operation: @autoclosure () -> String,
        handler: @escaping (OpaquePointer) -> Void,
        add: (inout OpaquePointer?, UnsafeMutableRawPointer) -> Int32
    ) throws(SystemdError) -> BusSlot {
        queue.preconditionOnLoop()
        let userdata = Unmanaged.passRetained(EventHandler(handler))
        var slot: OpaquePointer?
        let result = add(&slot, userdata.toOpaque())
        guard result >= 0, let slot else {
            userdata.release()
            throw SystemdError(code: result, operation: operation())
        }
        sd_bus_slot_set_destroy_callback(slot) { userdata in
            guard let userdata else { return }
            Unmanaged<AnyObject>.fromOpaque(userdata).release()
        }
        return BusSlot(slot: slot, queue: queue)
    }

    /// The C callback for all slots: a message came.
    static let callback: sd_bus_message_handler_t = { message, userdata, _ in
        guard let message else { return 0 }
        return EventHandler<OpaquePointer>.call(userdata, message)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

/// The `userdata` of a source's C callback.
final class EventHandler<Input> {
    let handle: (Input) -> Void

    init(_ handle: @escaping (Input) -> Void) {
        self.handle = handle
    }

    /// Calls the handler in `userdata`, and returns success to sd-event.
    ///
    /// sd-event keeps a source, and so its `userdata`, until the callback has returned, even if the handler cancels the
    /// source.
    static func call(_ userdata: UnsafeMutableRawPointer?, _ input: Input) -> Int32 {
        guard let userdata else { return 0 }
        Unmanaged<EventHandler<Input>>.fromOpaque(userdata)._withUnsafeGuaranteedRef { $0.handle(input) }
        return 0
    }
}

extension EventSource {
    /// Creates a source with `add` (one of the `sd_event_add_…` functions), whose `userdata` holds `handler` until
    /// sd-event frees the source.
    static func make<Input>(
        on queue: JobQueue,
        _ operation: @autoclosure () -> String,
        priority: EventPriority,
        handler: @escaping (Input) -> Void,
        add: (inout OpaquePointer?, UnsafeMutableRawPointer) -> Int32
    ) throws(SystemdError) -> EventSource {
        queue.preconditionOnLoop()
        let userdata = Unmanaged.passRetained(EventHandler(handler))
        var source: OpaquePointer?
        let result = add(&source, userdata.toOpaque())
        guard result >= 0, let source else {
            userdata.release()
            throw SystemdError(code: result, operation: operation())
        }
        sd_event_source_set_destroy_callback(source) { userdata in
            guard let userdata else { return }
            Unmanaged<AnyObject>.fromOpaque(userdata).release()
        }
        let made = EventSource(source: source, queue: queue)
        made.setPriority(priority)
        return made
    }

    /// Like `make`, for kinds whose creation fails only when the loop is over: the source is then inert.
    static func makeUnlessOver<Input>(
        on queue: JobQueue,
        _ operation: @autoclosure () -> String,
        priority: EventPriority,
        handler: @escaping (Input) -> Void,
        add: (inout OpaquePointer?, UnsafeMutableRawPointer) -> Int32
    ) -> EventSource {
        do {
            return try make(on: queue, operation(), priority: priority, handler: handler, add: add)
        } catch {
            precondition(error.code == ESTALE, error.message)
            return EventSource(source: nil, queue: queue)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

extension EventLoop {
    /// Watches a descriptor. The caller keeps the descriptor, and ends the source before closing it.
    ///
    /// `error` and `hangUp` are always reported, so a handler checks them or reads until the end. Level-triggered: it
    /// fires again as long as the condition holds.
    package func addDescriptor(
        _ descriptor: Int32,
        events: DescriptorEvents,
        priority: EventPriority = .normal,
        handler: @escaping (DescriptorEvents) -> Void
    ) throws(SystemdError) -> EventSource {
        try EventSource.make(on: queue, "watch a descriptor", priority: priority, handler: handler) {
            sd_event_add_io(
                event,
                &$0,
                descriptor,
                events.rawValue,
                { EventHandler.call($3, DescriptorEvents(rawValue: $2)) },
                $1
            )
        }
    }

    /// Fires once at `deadline` on the boot-time clock, or up to `accuracy` later, so that wake-ups can be combined;
    /// `EventSource.rearm(at:)` lets it fire again. A deadline that has passed fires in the next round; several of
    /// them, in any order.
    package func addTimer(
        at deadline: BootInstant,
        accuracy: Duration,
        priority: EventPriority = .normal,
        handler: @escaping () -> Void
    ) -> EventSource {
        // 0 means 250 ms to sd-event.
        let leeway = UInt64(max(accuracy.microseconds, 1))
        return EventSource.makeUnlessOver(on: queue, "add a timer", priority: priority, handler: handler) {
            sd_event_add_time(
                event,
                &$0,
                CLOCK_BOOTTIME,
                deadline.microseconds,
                leeway,
                { EventHandler<Void>.call($2, ()) },
                $1
            )
        }
    }

    /// Fires once in the loop's next round; `EventSource.rearm()` lets it fire again.
    package func addDefer(priority: EventPriority = .normal, handler: @escaping () -> Void) -> EventSource {
        EventSource.makeUnlessOver(on: queue, "add a deferred source", priority: priority, handler: handler) {
            sd_event_add_defer(event, &$0, { EventHandler<Void>.call($1, ()) }, $1)
        }
    }

    /// Fires at the end of every round in which another source fired, before the loop sleeps.
    package func addPost(priority: EventPriority = .normal, handler: @escaping () -> Void) -> EventSource {
        EventSource.makeUnlessOver(on: queue, "add a post source", priority: priority, handler: handler) {
            sd_event_add_post(event, &$0, { EventHandler<Void>.call($1, ()) }, $1)
        }
    }

    /// Fires when the loop ends, after `exit(code:)`; in the order of the priorities.
    package func addExit(priority: EventPriority = .normal, handler: @escaping () -> Void) -> EventSource {
        EventSource.makeUnlessOver(on: queue, "add an exit source", priority: priority, handler: handler) {
            sd_event_add_exit(event, &$0, { EventHandler<Void>.call($1, ()) }, $1)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

/// One source of a loop: a watched descriptor, a timer, a signal, and so on, with its handler.
///
/// The source lives as long as this object: releasing it cancels the source, on any thread. On another than the loop's
/// that takes until the next round; so to close a watched descriptor, end the source first, on the loop. All other uses
/// are for the loop's thread. The handler and its captures are kept until then: an object that owns its source writes
/// `[weak self]`, or calls `cancel()` when it is done.
///
/// Handlers run on the loop's thread. A closure written in `@LoopActor` code is implicitly isolated to it. Handlers do
/// not throw, and the C callbacks here never return a negative value, which would disable the source.
package final class EventSource {
    private var source: OpaquePointer?
    private let queue: JobQueue

    /// `source` is nil if the loop is over: such a source never fires.
    init(source: OpaquePointer?, queue: JobQueue) {
        self.source = source
        self.queue = queue
    }

    deinit {
        guard let source else { return }
        queue.release(source, with: sd_event_source_disable_unref)
    }

    /// Ends the source and releases the handler. May be called in the source's own handler, and twice.
    package func cancel() {
        queue.preconditionOnLoop()
        guard let source else { return }
        self.source = nil
        sd_event_source_disable_unref(source)
    }

    /// Whether it can still fire.
    package var isArmed: Bool {
        var enabled: Int32 = 0
        guard let source, sd_event_source_get_enabled(source, &enabled) >= 0 else { return false }
        return enabled != SD_EVENT_OFF
    }

    /// The events to watch for; empty for other kinds of sources. Setting the same value again is free, but with
    /// `onEdge` it reports the current state once more.
    package var events: DescriptorEvents {
        get {
            var bits: UInt32 = 0
            guard let source, sd_event_source_get_io_events(source, &bits) >= 0 else { return [] }
            return DescriptorEvents(rawValue: bits)
        }
        set {
            guard let source else { return }
            Self.check(sd_event_source_set_io_events(source, newValue.rawValue))
        }
    }

    /// Lets a timer fire (once more) at `deadline`, whether it has fired, is pending or was disarmed.
    package func rearm(at deadline: BootInstant) {
        guard let source else { return }
        Self.check(sd_event_source_set_time(source, deadline.microseconds))
        setEnabled(SD_EVENT_ONESHOT)
    }

    /// Lets a deferred source run (once more) in the loop's next round.
    package func rearm() {
        setEnabled(SD_EVENT_ONESHOT)
    }

    /// Keeps the source from firing until it is armed again; it causes no wake-ups meanwhile.
    package func disarm() {
        setEnabled(SD_EVENT_OFF)
    }

    /// Lets a descriptor's or a signal's source fire again after `disarm()`.
    package func resume() {
        setEnabled(SD_EVENT_ON)
    }

    /// Sets the order among sources that are ready at the same time.
    func setPriority(_ priority: EventPriority) {
        guard let source, priority != .normal else { return }
        sd_event_source_set_priority(source, priority.rawValue)
    }

    /// Gives the watched descriptor to the source, which closes it at its end.
    func ownDescriptor() {
        guard let source else { return }
        sd_event_source_set_io_fd_own(source, 1)
    }

    private func setEnabled(_ state: Int) {
        guard let source else { return }
        Self.check(sd_event_source_set_enabled(source, Int32(state)))
    }

    /// Changing a source fails if it is not of that kind, which is a programmer's error, or if the loop is over, which
    /// is not: then nothing fires any more.
    private static func check(_ result: Int32) {
        precondition(result >= 0 || result == -ESTALE, "An event source could not be changed: \(result)")
    }
}

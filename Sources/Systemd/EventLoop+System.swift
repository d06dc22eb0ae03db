// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

extension EventLoop {
    /// Receives a signal of the process. It must be blocked in every thread: see `SignalMask`.
    /// - Throws: `EBUSY` if it is not blocked in this one, or already has a source.
    package func addSignal(
        _ signal: Int32,
        priority: EventPriority = .normal,
        handler: @escaping () -> Void
    ) throws(SystemdError) -> EventSource {
        try EventSource.make(on: queue, "receive signal \(signal)", priority: priority, handler: handler) {
            sd_event_add_signal(event, &$0, signal, { EventHandler<Void>.call($2, ()) }, $1)
        }
    }

    /// Watches a file or a folder (not recursively).
    /// - Throws: `ENOENT`, `EACCES`, `ENOTDIR`; `ENOSPC` if the user's watches are used up.
    package func addInotify(
        _ path: String,
        _ changes: FileEvent.Changes = .content,
        priority: EventPriority = .normal,
        handler: @escaping (FileEvent) -> Void
    ) throws(SystemdError) -> EventSource {
        try EventSource.make(on: queue, "watch \(path)", priority: priority, handler: handler) {
            sd_event_add_inotify(
                event,
                &$0,
                path,
                changes.rawValue,
                { _, record, userdata in
                    guard let record else { return 0 }
                    return EventHandler.call(userdata, FileEvent(record))
                },
                $1
            )
        }
    }

    /// Fires when the wall clock is set, so that dependent times can be computed again. It does not fire while the
    /// clock is only slewed.
    package func addWallClockChange(
        priority: EventPriority = .normal,
        handler: @escaping () -> Void
    ) throws(SystemdError) -> EventSource {
        let descriptor = try SystemdError.checkErrno(
            timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK)),
            "watch the wall clock"
        )
        do {
            try Self.armWallClock(descriptor)
            let source = try addDescriptor(descriptor, events: .readable, priority: priority) { _ in
                var expirations: UInt64 = 0
                // Fails with ECANCELED, which is the message. It stays armed.
                _ = read(descriptor, &expirations, MemoryLayout.size(ofValue: expirations))
                handler()
            }
            source.ownDescriptor()
            return source
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Sets the timer to the end of time, to be cancelled when the clock is set (`timerfd_create(2)`).
    private static func armWallClock(_ descriptor: Int32) throws(SystemdError) {
        var never = itimerspec()
        never.it_value.tv_sec = .max
        let flags = Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)
        try SystemdError.checkErrno(timerfd_settime(descriptor, flags, &never, nil), "watch the wall clock")
    }
}

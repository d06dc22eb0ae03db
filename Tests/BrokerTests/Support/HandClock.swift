// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

@testable import Broker

/// A clock that stands still until a test moves it; its timers fire in their order as it passes them.
@LoopActor final class HandClock: Clock {
    private final class Timer: ScheduledTimer {
        let instant: BootInstant
        let number: Int
        var action: (@LoopActor () -> Void)?

        init(instant: BootInstant, number: Int, action: @escaping @LoopActor () -> Void) {
            self.instant = instant
            self.number = number
            self.action = action
        }

        func cancel() {
            action = nil
        }
    }

    /// 2026-05-05T05:20:00Z, with the machine up for some eleven days.
    nonisolated static let start = Moment(wall: 1_777_958_400, boot: BootInstant(microseconds: 1_000_000_000_000))

    private var boot = start.boot
    /// How far the wall clock was stepped.
    private var step: Int64 = 0
    private var timers: [Timer] = []
    private var count = 0
    /// Timers that have fired: what would have woken the machine.
    private(set) var firings = 0

    var now: Moment {
        Moment(wall: Self.start.wall + Self.start.boot.duration(to: boot).components.seconds + step, boot: boot)
    }

    func schedule(
        at instant: BootInstant,
        accuracy: Duration,
        _ action: @escaping @LoopActor () -> Void
    ) -> any ScheduledTimer {
        count += 1
        let timer = Timer(instant: instant, number: count, action: action)
        timers.append(timer)
        return timer
    }

    /// The timers that are set, soonest first.
    var scheduled: [BootInstant] {
        timers.filter { $0.action != nil }.map(\.instant).sorted()
    }

    /// Time passes: every timer fires when it is due, and what it begins runs before the next one.
    func advance(by duration: Duration) async {
        await settle()
        let end = boot.advanced(by: duration)
        while let next = nextTimer(until: end) {
            boot = max(boot, next.instant)
            fire(next)
            await settle()
        }
        boot = end
        await settle()
    }

    /// The machine sleeps: afterwards everything that came due meanwhile fires at once.
    func suspend(for duration: Duration) async {
        await settle()
        boot = boot.advanced(by: duration)
        while let next = nextTimer(until: boot) { fire(next) }
        await settle()
    }

    /// Somebody sets the wall clock.
    func stepWall(by seconds: Int64) {
        step += seconds
    }

    /// The process is gone, and its timers with it.
    func forgetTimers() {
        timers = []
    }

    private func nextTimer(until end: BootInstant) -> Timer? {
        timers.removeAll { $0.action == nil }
        return timers.filter { $0.instant <= end }
            .min { ($0.instant.microseconds, $0.number) < ($1.instant.microseconds, $1.number) }
    }

    private func fire(_ timer: Timer) {
        let action = timer.action
        timer.action = nil
        firings += 1
        action?()
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// Watches the machine's clocks and network.
@LoopActor final class MachineWatch {
    /// A change of the machine, as the log names it.
    enum Change: String {
        /// The clock was set.
        case clockStepped = "the wall clock was set"
        case awoke = "the machine is back from a sleep"
        /// A provider may have become reachable.
        case networkCame = "a network has come"
    }

    private let onChange: @LoopActor (Change) -> Void
    private var clock: EventSource?
    private var bus: Bus?
    private var sleep: BusSlot?
    private var network: NetworkArrivals?

    /// Watches whatever the machine reports; anything unavailable (no system bus, a sandbox without netlink) is logged,
    /// and the daemon then notices it by its own checks of the clocks.
    init(loop: EventLoop, log: JournalLog, onChange: @escaping @LoopActor (Change) -> Void) {
        self.onChange = onChange
        do throws(SystemdError) {
            clock = try loop.addWallClockChange { [unowned self] in self.onChange(.clockStepped) }
            let bus = try Bus(.system, loop: loop)
            self.bus = bus
            sleep = try SleepWatch.start(on: bus) { [unowned self] isGoingToSleep in
                if !isGoingToSleep { self.onChange(.awoke) }
            }
        } catch {
            log.write(LogLine(.debug, "the machine does not signal a suspend: \(error.message), ignoring"))
        }
        do throws(SystemdError) {
            network = try NetworkArrivals(loop: loop) { [unowned self] in self.onChange(.networkCame) }
        } catch {
            log.write(LogLine(.debug, "the kernel does not signal a new network: \(error.message), ignoring"))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// What the machine tells of time and the network.
@LoopActor final class MachineWatch {
    /// What has happened to the machine, in the log's words.
    enum Change: String {
        /// Somebody has set it.
        case clockStepped = "the wall clock was set"
        case awoke = "the machine is back from a sleep"
        /// There may be a way to a provider that was not there before.
        case networkCame = "a network has come"
    }

    private let onChange: @LoopActor (Change) -> Void
    private var clock: EventSource?
    private var bus: Bus?
    private var sleep: BusSlot?
    private var network: NetworkArrivals?

    /// Watches as far as the machine tells; what it does not tell (no system bus, a sandbox without netlink) is told to
    /// the log, and the daemon then learns of it by its own looks at the clocks.
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
            log.write(LogLine(.debug, "no word of suspends: \(error.message), ignoring"))
        }
        do throws(SystemdError) {
            network = try NetworkArrivals(loop: loop) { [unowned self] in self.onChange(.networkCame) }
        } catch {
            log.write(LogLine(.debug, "no word of the network: \(error.message), ignoring"))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// logind's events about the machine's sleep.
package enum SleepWatch {
    /// Reports from the system bus when the machine is about to sleep (true) and when it is back (false).
    ///
    /// The machine does not wait for the handler, since there is no inhibitor.
    package static func start(
        on bus: Bus,
        handler: @escaping (_ isGoingToSleep: Bool) -> Void
    ) throws(SystemdError) -> BusSlot {
        let prepare = BusMatch(
            sender: "org.freedesktop.login1",
            path: "/org/freedesktop/login1",
            interface: "org.freedesktop.login1.Manager",
            member: "PrepareForSleep"
        )
        return try bus.match(prepare) { signal in
            guard let isGoingToSleep = signal.arguments.first?.bool else { return }
            handler(isGoingToSleep)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// Reports each new network once: a moment after the first change of link, addresses or routes.
@LoopActor final class NetworkArrivals {
    private let loop: EventLoop
    private let onArrival: @LoopActor () -> Void
    private var source: EventSource?
    private var look: EventSource?

    /// - Throws: if the kernel does not report changes, as in a sandbox without netlink.
    init(loop: EventLoop, onArrival: @escaping @LoopActor () -> Void) throws(SystemdError) {
        self.loop = loop
        self.onArrival = onArrival
        source = try NetworkWatch.start(on: loop) { [unowned self] in lookSoon() }
    }

    private func lookSoon() {
        guard look == nil else { return }
        let soon = loop.bootTime.advanced(by: .seconds(1))
        look = loop.addTimer(at: soon, accuracy: .milliseconds(200)) { [unowned self] in
            look = nil
            onArrival()
        }
    }
}

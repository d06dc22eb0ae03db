// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// Watches the secret store's signals: unlocked, or back.
@LoopActor final class StoreWatch {
    private let loop: EventLoop
    private let onSignal: @LoopActor () -> Void
    private var bus: Bus?
    private var watch: SecretServiceWatch?
    private var look: EventSource?

    /// Watches where there is a session bus; where there is none, the log is told, and the store is asked as it is needed.
    ///
    /// - Parameter onSignal: called when it is worth asking the store again.
    init(loop: EventLoop, log: JournalLog, onSignal: @escaping @LoopActor () -> Void) {
        self.loop = loop
        self.onSignal = onSignal
        do throws(SystemdError) {
            let bus = try Bus(.user, loop: loop)
            self.bus = bus
            watch = try SecretServiceWatch(on: bus) { [unowned self] event in
                switch event {
                case .appeared, .lockChanged(_, isLocked: false), .collectionChanged, .walletOpened: lookSoon()
                case .vanished, .lockChanged: break
                }
            }
        } catch {
            log.write(LogLine(.debug, "the secret store sends no signals: \(error.message), ignoring"))
        }
    }

    /// Checks once the store's signals have ceased: KeePassXC crashes on a request while it opens its database
    /// (https://github.com/keepassxreboot/keepassxc/issues/13265).
    private func lookSoon() {
        let soon = loop.bootTime.advanced(by: .milliseconds(500))
        if let look { return look.rearm(at: soon) }
        look = loop.addTimer(at: soon, accuracy: .milliseconds(100)) { [unowned self] in onSignal() }
    }
}

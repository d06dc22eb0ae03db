// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Systemd

extension Broker {
    /// Opens the user's browser, without waiting for it; a fault is logged.
    ///
    /// - Parameter onFault: called with it, too.
    func openBrowser(_ url: WebURL, onFault: @escaping @LoopActor (BrowserError) -> Void = { _ in }) {
        let (ports, command) = (ports, configuration.daemon.browser)
        Task.onLoop {
            do throws(BrowserError) {
                try await ports.browser.open(url, command: command)
            } catch {
                ports.log.record(.browserFault(error))
                onFault(error)
            }
        }
    }
}

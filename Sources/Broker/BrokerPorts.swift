// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets

/// All ports of the broker.
package struct BrokerPorts: Sendable {
    package var clock: any Clock
    package var entropy: any Entropy
    package var transport: any HTTPTransport
    package var store: any CredentialStore
    package var redirects: any RedirectListening
    package var browser: any BrowserOpener
    package var handlers: any CallbackHandling
    package var state: any LastingState
    package var files: any AccountFiles
    package var log: any EventLog
    /// The version that a registered client states (RFC 7591, section 2).
    package var softwareVersion = "0"
    /// No notifier, until there is a desktop.
    package var notifier: any PersonNotifying = NobodyToNotify()

    package init(
        clock: any Clock,
        entropy: any Entropy,
        transport: any HTTPTransport,
        store: any CredentialStore,
        redirects: any RedirectListening,
        browser: any BrowserOpener,
        handlers: any CallbackHandling = NoCallbackHandling(),
        state: any LastingState,
        files: any AccountFiles,
        log: any EventLog
    ) {
        self.clock = clock
        self.entropy = entropy
        self.transport = transport
        self.store = store
        self.redirects = redirects
        self.browser = browser
        self.handlers = handlers
        self.state = state
        self.files = files
        self.log = log
    }
}

extension Entropy {
    /// A number in 0 ..< 1, for jitter.
    func random() -> Double {
        let value = bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return Double(value) / 4_294_967_296
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

extension Broker {
    /// Writes the records that the store lacks, so that a restart needs no sign-in and no refresh: new refresh tokens
    /// before access tokens.
    ///
    /// - Parameter patience: for all of it. Whatever is not written by then, or after the store proves locked or
    ///   unavailable, is left.
    package func keepTokens(within patience: Duration) async {
        await withUnsafeContinuation { continuation in
            let end = FirstEnd(continuation)
            let instant = ports.clock.now.boot.advanced(by: patience)
            let timer = ports.clock.schedule(at: instant, accuracy: .milliseconds(200)) { end.come() }
            Task.onLoop { [self] in
                await keepTokens()
                timer.cancel()
                end.come()
            }
        }
    }

    private func keepTokens() async {
        let all = Array(accounts.values) + Array(retired.values)
        let lacking = all.filter { $0.grant.unstoredRecord != nil }
        for account in lacking.filter(\.grant.hasPendingWrite) + lacking.filter({ !$0.grant.hasPendingWrite }) {
            switch await account.keepToken()?.code {
            // The others would get the same error, each after the same wait.
            case .locked, .unavailable, .frozen, .dismissed: return
            case .unreadable, .newer, .passphraseUnwanted, nil: continue
            }
        }
    }
}

/// A wait that ends with the first of several events.
@LoopActor private final class FirstEnd {
    private var continuation: UnsafeContinuation<Void, Never>?

    init(_ continuation: UnsafeContinuation<Void, Never>) {
        self.continuation = continuation
    }

    func come() {
        continuation?.resume()
        continuation = nil
    }
}

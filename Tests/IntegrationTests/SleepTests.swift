// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// What the machine says of its sleep, as far as the daemon (engine rule 11, field failure C2).
    @Suite struct Sleeps {
        @Test func `the end of a sleep brings the next try forward, and its beginning does not`() async throws {
            // A token that is due soon: the next try is the one of the renewal that failed.
            var settings = ProviderSettings.approving
            settings.accessTokenLifetime = 20
            try await Stand.with(settings) { stand in
                try await stand.signInQuietly()
                let logind = try await PlayedLogind.start(on: stand.session)
                try await stand.daemon.kill()
                try await stand.restart(adding: logind.variables) { next in
                    let time = try await next.failPatiently()
                    logind.prepareForSleep(true)
                    try await Task.sleep(for: .seconds(1))
                    #expect(abs(try await next.nextTry() - time) <= 1)
                    logind.prepareForSleep(false)
                    // Before half of what is left of the token, which is sooner.
                    try await next.awaitTime(before: time - 1)
                }
            }
        }
    }
}

extension Stand {
    /// Lets a renewal fail at a locked keyring, after which the daemon waits for half a minute or more.
    ///
    /// - Returns: when it tries again, in unix seconds.
    fileprivate func failPatiently() async throws -> Int64 {
        _ = try await token()
        try await session.lockKeyring()
        // Its signals have the daemon look again half a second later: then nothing may have failed yet.
        try await Task.sleep(for: .seconds(1))
        let refusal = try await refusal("token.get", ["account": "work", "fresh": true])
        #expect(refusal.kind == "store_locked")
        return try await nextTry()
    }

    /// When the daemon tries again; the same time may be told as the second before or after.
    fileprivate func nextTry() async throws -> Int64 { try #require(try await status()["refresh_at"]?.int64) }

    /// Looks until the daemon tries sooner than that.
    fileprivate func awaitTime(before time: Int64) async throws {
        let limit = ContinuousClock.now.advanced(by: .seconds(10))
        while try await nextTry() >= time {
            guard ContinuousClock.now < limit else { throw TimedOut("a time before \(time)") }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// What the machine says of its sleep, as far as the daemon (engine rule 11, field failure C2).
    @Suite struct Sleeps {
        @Test func `the end of a sleep brings the next try forward, and its beginning does not`() async throws {
            try await Stand.with { stand in
                try await stand.signInQuietly()
                let logind = try await PlayedLogind.start(on: stand.session)
                try await stand.daemon.kill()
                try await stand.restart(adding: logind.variables) { next in
                    let time = try await next.failPatiently()
                    logind.prepareForSleep(true)
                    try await Task.sleep(for: .seconds(1))
                    #expect(try await !next.isOtherTime(than: time))
                    logind.prepareForSleep(false)
                    // Within half a minute of now, which is sooner.
                    try await next.awaitOtherTime(than: time)
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
        let refusal = try await refusal("token.get", ["account": "work", "fresh": true])
        #expect(refusal.kind == "store_locked")
        return try #require(try await status()["refresh_at"]?.int64)
    }

    /// Whether the daemon tries at another time; the same one may be told as the second before or after.
    fileprivate func isOtherTime(than time: Int64) async throws -> Bool {
        let now = try #require(try await status()["refresh_at"]?.int64)
        return abs(now - time) > 1
    }

    /// Looks until the daemon tries at another time.
    fileprivate func awaitOtherTime(than time: Int64) async throws {
        let limit = ContinuousClock.now.advanced(by: .seconds(10))
        while try await !isOtherTime(than: time) {
            guard ContinuousClock.now < limit else { throw TimedOut("another time than \(time)") }
        }
    }
}

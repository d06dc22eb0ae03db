// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import TestSupport
import Testing

extension Programs {
    /// The daemon killed at random moments while clients force renewals of several accounts. `scripts/torture` sets the
    /// number of kills and the seed; the seed gives the moments, the machine what the daemon does then.
    @Suite struct Torture {
        @Test func `random kills under load lose no login`() async throws {
            let variables = ProcessInfo.processInfo.environment
            let kills = variables["TOKEND_TORTURE_KILLS"].flatMap { Int($0) } ?? 50
            let seed = variables["TOKEND_TORTURE_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
            print("torture: \(kills) kills, seed \(seed)")
            try await Stand.with(
                .rotating(grace: 30),
                arguments: TortureRun.arguments,
                prepare: { world, provider in
                    for account in TortureRun.accounts {
                        try world.writeAccount(account, issuer: provider.issuer, more: "refresh: { forced_gap: 0 }")
                    }
                },
                { stand in
                    let run = TortureRun(stand, seed: seed)
                    try await run.prepare()
                    try await run.kill(kills)
                    try run.judge()
                }
            )
        }
    }
}

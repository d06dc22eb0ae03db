// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing

@testable import tokend

/// A call of `tokend` that makes no sense.
@Suite struct CommandLineOptionsTests {
    @Test(arguments: [
        (["--store", "fil"], "--store takes one of: auto, secret-service, file, memory; did you mean “file”?"),
        (["--log-level=dbug"], "did you mean “debug”?"), (["--sotre", "file"], "“--sotre”; did you mean “--store”?"),
        (["--log-level", "x"], "--log-level takes one of: error, warning, notice, info, debug"),
        (["--socket"], "--socket needs a value"),
    ])
    func `is told with the word that was meant`(arguments: [String], words: String) {
        do throws(UsageError) {
            _ = try CommandLineOptions(arguments)
            Issue.record("it was taken")
        } catch {
            #expect(error.message.hasSuffix(words))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

/// What holds after a disk has refused the file store something.
extension Stand {
    /// An answer that the disk refused is stored by itself once the disk takes it, and served from then on; the provider
    /// was asked once.
    ///
    /// - Parameter held: the access token from before that answer.
    func expectKeptAnswer(after held: JSONValue?) async throws {
        try await daemon.hasLogged("work: renewed")
        #expect(try await token()["access_token"] != held)
        #expect(provider.count(grantType: "refresh_token") == 1)
        try await expectLiveTokenAfterCrash()
    }

    /// What lies on the disk is the provider's live refresh token.
    func expectLiveTokenAfterCrash() async throws {
        try await crash { next in
            try await FileStoreStand.unlock(next.client)
            let result = try await next.token(["fresh": true])
            #expect(result["refreshed"] == true)
            #expect(provider.accepts(accessToken: try #require(result["access_token"]?.string)))
        }
    }
}

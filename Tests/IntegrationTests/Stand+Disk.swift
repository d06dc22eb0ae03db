// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

/// What holds where a disk refuses the store something.
extension Stand {
    /// Before a rotating refresh: nothing is sent, what is held is served, and all goes on once the disk takes it.
    ///
    /// - Parameters:
    ///   - reason: a part of the refusal.
    ///   - fault: has the disk refuse what is written; the last closure ends that.
    func expectRefusalBeforeRefresh(_ reason: String, fault: () throws -> Void, mend: () -> Void) async throws {
        let held = try await token()["access_token"]
        try fault()
        let refusal = try await refusal("token.get", ["account": "work", "fresh": true])
        #expect(refusal.kind == "store_unavailable")
        #expect(refusal.message.contains(reason), "\(refusal)")
        #expect(provider.count(grantType: "refresh_token") == 0)
        #expect(try await token()["access_token"] == held)
        #expect(try await status()["fault"]?.object?["kind"] == "store_unavailable")
        mend()
        #expect(try await token(["fresh": true])["refreshed"] == true)
    }

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

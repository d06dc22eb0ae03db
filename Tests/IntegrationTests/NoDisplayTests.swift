// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// A machine without a desktop whose keyring is open, as PAM leaves it after a login by ssh (field failure F1).
    @Suite struct NoDisplays {
        @Test func `a keyring that is open serves without any display, across a restart (F1)`() async throws {
            try await Stand.with { stand in
                for name in ["DISPLAY", "WAYLAND_DISPLAY"] { #expect(stand.session.environment[name] == nil) }
                try await stand.signInQuietly()
                let token = try await stand.token()["access_token"]
                try await stand.daemon.kill()
                try await stand.restart { next in
                    #expect(try await next.token()["access_token"] == token)
                    let store = try await next.client.result("status")["daemon"]?.object?["store"]?.object
                    #expect(store?["kind"] == "secret-service" && store?["state"] == "ready")
                }
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TestSupport
import Testing

extension Programs {
    /// `doctor --trace`: what passes with the provider, and nothing that is secret.
    @Suite struct DoctorTrace {
        @Test func `metadata and keys are fetched, a token request is made and not sent`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let run = try await Tokenctl(stand.world).run("doctor", "--trace", "work")
                let lines = run.output.split(separator: "\n").map(String.init)
                let metadata = "GET \(stand.provider.issuer)/.well-known/openid-configuration"
                #expect(lines.contains(metadata), "\(run)")
                #expect(lines.contains("  < HTTP 200") && run.output.contains("token_endpoint"))
                #expect(lines.contains { $0.hasPrefix("POST ") && $0.hasSuffix("   (not sent)") }, "\(run)")
                for line in ["grant_type=refresh_token", "refresh_token=…", "client_id=tokend"] {
                    #expect(lines.contains("  > " + line), "\(run)")
                }
                for secret in stand.provider.secrets { #expect(!run.output.contains(secret)) }
                #expect(stand.provider.count(grantType: "refresh_token") == 0)
            }
        }
    }
}

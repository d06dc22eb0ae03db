// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// A provider behind TLS whose certificate authority is known by the account's `tls.ca_file` alone.
    @Suite struct ProviderTLS {
        private static let fresh: JSONObject = ["account": "safe", "fresh": true]

        /// A stand whose provider is reached through the front, with the account `safe`.
        private func withFront(
            trusting: Bool = true,
            _ body: (Stand, TLSFront, TestAuthority) async throws -> Void
        ) async throws {
            let authority = try await TestAuthority()
            try await Stand.with { stand in
                let front = try await TLSFront.start(before: stand.provider, authority, in: stand.session.folder)
                try trust([authority], stand)
                try stand.world.writeAccount(
                    "safe",
                    issuer: front.origin,
                    more: trusting ? "tls: { ca_file: \"\(authorities(stand))\" }" : ""
                )
                _ = try await stand.client.result("config.reload")
                try await body(stand, front, authority)
            }
        }

        private func authorities(_ stand: Stand) -> String { stand.session.folder + "/authorities.pem" }

        /// Writes the file that the account's `tls.ca_file` names.
        private func trust(_ trusted: [TestAuthority], _ stand: Stand) throws {
            let texts = try trusted.map { try Data(contentsOf: URL(filePath: $0.certificate)) }
            try Data(texts.joined()).write(to: URL(filePath: authorities(stand)), options: .atomic)
        }

        private func signIn(_ stand: Stand, _ front: TLSFront) async throws {
            let login = try await stand.startLogin("safe")
            #expect(login.url.hasPrefix(front.origin))
            _ = try await BrowserStandIn().signIn(front.plain(login.url))
            _ = try await stand.client.result("login.wait", ["login_id": .string(login.id)])
        }

        @Test func `an authority of its own is trusted where the account names it`() async throws {
            try await withFront { stand, front, _ in
                try await signIn(stand, front)
                let token = try await stand.client.result("token.get", Self.fresh)
                #expect(token["refreshed"]?.bool == true)
                #expect(token["issuer"]?.string == front.origin)
                #expect(try await stand.client.result("logout", ["account": "safe"])["revoked"]?.bool == true)
            }
        }

        @Test func `an authority that nobody named is unknown, and the sentence says what to do (G3)`() async throws {
            try await withFront(trusting: false) { stand, _, _ in
                let refusal = try await stand.refusal("login.start", ["account": "safe"])
                #expect(refusal.kind == "provider_unreachable")
                #expect(refusal.message.contains("Inspection Authority"))
                #expect(refusal.message.contains("ca_file"))
                #expect(stand.provider.events.isEmpty, "nothing was sent")
            }
        }

        @Test(arguments: [
            (TestAuthority.Leaf.expired, "has expired"), (.wrongName, "is for another name (CN=other.example"),
            (.selfSigned, "self-signed"),
        ])
        func `a certificate that is no longer good is named with its fault, and nothing is lost`(
            leaf: TestAuthority.Leaf,
            fault: String
        ) async throws {
            try await withFront { stand, front, authority in
                try await signIn(stand, front)
                let held = try await stand.client.result("token.get", ["account": "safe"])["access_token"]
                try await front.show(leaf, of: authority)
                let refusal = try await stand.refusal("token.get", Self.fresh)
                #expect(refusal.kind == "provider_unreachable")
                #expect(refusal.message.contains(fault), "\(refusal)")
                #expect(refusal.message.contains(front.origin.dropFirst("https://".count)), "\(refusal)")
                #expect(stand.provider.count(grantType: "refresh_token") == 0)
                #expect(try await stand.client.result("token.get", ["account": "safe"])["access_token"] == held)
                try await front.show(.good, of: authority)
                // A daemon that starts anew does not sit out the wait between attempts.
                try await stand.daemon.stop()
                let daemon = try await DaemonProcess.start(stand.world)
                let token = try await daemon.connect().result("token.get", Self.fresh)
                #expect(token["refreshed"]?.bool == true)
                try await daemon.stop()
            }
        }

        @Test func `another authority in the file holds the grant back, and the old one gives it back`() async throws {
            let other = try await TestAuthority()
            try await withFront { stand, front, authority in
                try await signIn(stand, front)
                try trust([authority, other], stand)
                _ = try await stand.client.result("config.reload")
                let refusal = try await stand.refusal("token.get", ["account": "safe"])
                #expect(refusal.kind == "login_required")
                #expect(refusal.data["reason"]?.string == "config_changed")
                #expect(stand.provider.count(grantType: "refresh_token") == 0)
                try trust([authority], stand)
                _ = try await stand.client.result("config.reload")
                #expect(try await stand.client.result("token.get", Self.fresh)["refreshed"]?.bool == true)
            }
        }
    }
}

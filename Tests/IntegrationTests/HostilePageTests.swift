// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// A page of another site, in the browser that a sign-in is going on in.
    @Suite struct HostilePages {
        /// What the page got to see, by what it tried.
        private static func reads(_ attempts: JSONValue?) -> [String: String?] {
            let list = (attempts?.array ?? []).compactMap(\.object)
            return Dictionary(list.map { ($0["what"]?.string ?? "", $0["read"]?.string) }) { $1 }
        }

        @Test func `a page of another site in a real browser reads nothing of a sign-in, and ends none`() async throws {
            try await Stand.with { stand in
                let login = try await stand.startLogin()
                let parts = login.redirectURI.split(separator: "/", maxSplits: 2).map(String.init)
                let listener = "\(parts[0])//\(parts[1])"
                let seen = try await ChromiumHostile.run(listener, path: "/" + parts[2])
                let attempts = Self.reads(seen["attempts"])
                #expect(attempts.count == 17 && attempts.values.allSatisfy { $0 == nil }, "\(attempts)")
                // The page does try: a server that lets it gets all of that, and is read.
                let control = Self.reads(seen["control"])
                #expect(control.keys == attempts.keys && control.values.count { $0 != nil } >= 6, "\(control)")
                #expect(seen["arrived"]?.int64 ?? 0 >= 17)
                #expect(try await stand.status()["state"] == "login_pending")
                #expect(stand.provider.count(.token) == 0)
                _ = try await BrowserStandIn().signIn(login.url)
                let result = try await stand.client.result("login.wait", ["login_id": .string(login.id)])
                #expect(result["identity"] == "alice@example.org")
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Testing

@Suite struct ScopeTests {
    @Test func `tokens are kept once and in order`() {
        #expect(Scope("openid  email\topenid profile").tokens == ["openid", "email", "profile"])
        #expect(Scope("b a").text == "b a")
        #expect(Scope("").isEmpty)
    }

    @Test(.timeLimit(.minutes(1))) func `a hundred thousand tokens are taken in a moment`() {
        let many = Scope((0..<100_000).map { "s\($0)" })
        #expect(many.tokens.count == 100_000 && many.contains(all: many) && many.union(many) == many)
        #expect(many.contains("s99999") && !many.contains("s100000") && many.subtracting(many).isEmpty)
    }

    @Test func `order does not matter when scopes are compared (A10)`() {
        #expect(Scope("a b") == Scope("b a"))
        #expect(Scope("a b").hashValue == Scope("b a").hashValue)
        #expect(Scope("a b") != Scope("a"))
        #expect(Scope("a b c").contains(all: Scope("c a")))
        #expect(!Scope("a").contains(all: Scope("a b")))
        #expect(Scope("a").contains(all: []))
    }

    @Test func `tokens are compared byte for byte`() {
        #expect(!Scope("\u{E9}").contains("e\u{301}"))
        #expect(!Scope("Mail").contains("mail"))
    }

    @Test func `union and difference keep the order`() {
        #expect(Scope("a b").union(Scope("b c")).text == "a b c")
        #expect(Scope("a b c").subtracting(Scope("b")).text == "a c")
    }

    @Test func `offline_access is added only where it is listed (OIDC-15)`() throws {
        let entra = try ProviderMetadata(document: Vectors.metadata("entra-common-v2"))
        let google = try ProviderMetadata(document: Vectors.metadata("google"))
        #expect(Scope("openid").addingOfflineAccess(supportedBy: entra).text == "openid offline_access")
        #expect(Scope("openid offline_access").addingOfflineAccess(supportedBy: entra).text == "openid offline_access")
        #expect(Scope("openid").addingOfflineAccess(supportedBy: google).text == "openid")
    }
}

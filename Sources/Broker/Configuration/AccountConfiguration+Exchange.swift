// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth

extension AccountConfiguration {
    /// Reads `exchange`: where the provider's token is traded for an application's own.
    mutating func readExchange(from reader: inout MemberReader) {
        guard var inner = reader.inner("exchange") else { return }
        defer {
            inner.finish()
            reader.add(inner.faults)
        }
        let subject = inner.word("subject", as: ApplicationExchange.Subject.self)
        let names = ["field", "token", "expires_in"].map { inner.string($0) }
        guard inner.has("url") else {
            return inner.fault("url", "is missing: name the place of the application's server that takes the token")
        }
        guard let url = Self.endpoint("url", from: &inner) else { return }
        var exchange = ApplicationExchange(url: url)
        exchange.subject = subject ?? exchange.subject
        exchange.field = names[0] ?? exchange.field
        exchange.token = names[1] ?? exchange.token
        exchange.expiresIn = names[2] ?? exchange.expiresIn
        if exchange.subject == .idToken, issuer == nil, !reader.has("provider") {
            inner.fault("subject", "needs an issuer: without one no ID token is checked, and none is sent on")
        }
        if !flow.hasUser {
            reader.fault("exchange", "needs a user who signs in, and with \(flow.rawValue) there is none")
        }
        self.exchange = exchange
    }
}

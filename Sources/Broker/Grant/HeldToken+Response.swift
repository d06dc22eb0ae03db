// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets

extension HeldToken {
    /// The token of a provider's answer; its lifetime starts when the request is sent.
    init(_ response: TokenResponse, granted: Scope, sentAt: Moment, verified: IDToken?) {
        self.init(
            accessToken: response.accessToken,
            tokenType: response.tokenType,
            scope: response.scope ?? granted,
            issuedAt: sentAt.wall,
            lifetime: response.lifetime,
            obtainedAtBoot: sentAt.boot,
            idToken: verified == nil ? nil : response.idToken,
            idTokenExpiresAt: verified?.expiresAt,
            extra: response.extra
        )
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import Secrets

extension IDTokenRules {
    /// Checks everything except the signature and `at_hash`, one rule at a time.
    func check(_ token: IDToken) throws(IDTokenError) {
        try checkIssuer(token.issuer, tenant: token.tenant)
        try checkAudience(token.audiences)
        // Checked first: at a refresh this is essential.
        if case .refresh(let baseline) = occasion { try checkSubject(token.subject, since: baseline) }
        try checkAuthorizedParty(of: token)
        try checkTimes(of: token)
        switch occasion {
        case .login(let nonce):
            try checkSubject(of: token)
            try checkNonce(of: token, is: nonce)
            try checkAge(of: token)
            try checkAuthenticationClass(of: token)
            try checkAuthenticationTime(of: token)
        case .refresh(let baseline):
            try checkContinuity(of: token, since: baseline)
        }
    }

    /// Section 3.1.3.7, rule 2: `iss` is the issuer, byte for byte (with `tid` in a template), or its one other name.
    func checkIssuer(_ named: String, tenant: String?) throws(IDTokenError) {
        let matches: Bool
        if issuer.template == nil {
            matches =
                issuer.matches(named)
                || federationService.map { $0.utf8.elementsEqual(named.utf8) } ?? false
        } else {
            matches = tenant.map { issuer.matches(named, tenant: $0) } ?? false
        }
        guard matches else { throw IDTokenError(.issuer, "the ID token is from another issuer") }
    }

    /// Rule 3: the client is among the audiences, and if the account lists trusted audiences, so are all others.
    /// Without a list, they are accepted if `azp` says that the token was issued to this client.
    func checkAudience(_ audiences: [String]) throws(IDTokenError) {
        guard audiences.contains(where: isClient) else {
            throw IDTokenError(.audience, "the ID token is meant for another client")
        }
        guard let trustedAudiences else { return }
        guard audiences.allSatisfy({ isClient($0) || trustedAudiences.contains($0) }) else {
            throw IDTokenError(.audience, "the ID token is meant for further clients that are not trusted")
        }
    }

    /// Rules 4 and 5: several audiences need an `azp`, unless the account lists them; if there is an `azp`, it is the
    /// client. ZITADEL lists a project and its other clients beside this one.
    private func checkAuthorizedParty(of token: IDToken) throws(IDTokenError) {
        guard let party = token.authorizedParty else {
            guard token.audiences.count == 1 || trustedAudiences != nil else {
                throw IDTokenError(.authorizedParty, "the ID token has several audiences and no azp")
            }
            return
        }
        guard isClient(party) else {
            throw IDTokenError(.authorizedParty, "the ID token was issued to another client (azp)")
        }
    }

    /// Rules 9 and 10: not expired, not from the future.
    private func checkTimes(of token: IDToken) throws(IDTokenError) {
        guard token.expiresAt > now - Self.skew else {
            throw IDTokenError(.expiry, "the ID token is over; mind this machine's clock")
        }
        guard token.issuedAt <= now + Self.longestAhead else {
            throw IDTokenError(.issuedAt, "the ID token is from the future; mind this machine's clock")
        }
    }

    /// The user is the account's last one: issuer and subject identify the user, never the e-mail address (section
    /// 5.7).
    private func checkSubject(of token: IDToken) throws(IDTokenError) {
        if let expectedSubject, !token.subject.utf8.elementsEqual(expectedSubject.utf8) {
            throw IDTokenError(.subject, "another user signed in than the one this account belongs to")
        }
    }

    /// Rule 10: a login's token is recent.
    private func checkAge(of token: IDToken) throws(IDTokenError) {
        guard token.issuedAt >= now - Self.oldestAtLogin else {
            throw IDTokenError(.issuedAt, "the ID token was issued long ago; mind this machine's clock")
        }
    }

    /// Rule 11: the nonce is the one that was sent; if none was, there is nothing to compare.
    private func checkNonce(of token: IDToken, is nonce: String?) throws(IDTokenError) {
        guard let nonce else { return }
        guard let received = token.nonce, Secret(received) == Secret(nonce) else {
            throw IDTokenError(.nonce, "the ID token's nonce is not the one that was sent")
        }
    }

    /// Rule 12: the class is a requested one.
    private func checkAuthenticationClass(of token: IDToken) throws(IDTokenError) {
        guard !authenticationClasses.isEmpty else { return }
        guard let reached = token.authenticationClass, authenticationClasses.contains(reached) else {
            throw IDTokenError(.authenticationClass, "the sign-in did not reach the strength that was asked for")
        }
    }

    /// Rule 13: the user signed in recently enough.
    private func checkAuthenticationTime(of token: IDToken) throws(IDTokenError) {
        guard let maxAge else { return }
        guard let time = token.authenticatedAt else {
            throw IDTokenError(.authenticationTime, "the ID token does not say when the user signed in")
        }
        guard time >= now - max(0, min(maxAge, Lifetime.longest)) - Self.skew else {
            throw IDTokenError(.authenticationTime, "the sign-in is older than was asked for")
        }
    }

    /// Section 12.2: a refreshed token is about the same user.
    func checkSubject(_ subject: String, since baseline: IDTokenBaseline) throws(IDTokenError) {
        guard subject.utf8.elementsEqual(baseline.subject.utf8) else {
            throw IDTokenError(.subject, "the refreshed ID token is about another user", isOtherSubject: true)
        }
    }

    /// Section 12.2: a refreshed token continues the one before.
    private func checkContinuity(of token: IDToken, since baseline: IDTokenBaseline) throws(IDTokenError) {
        guard let previous = baseline.token else { return }
        guard token.issuer.utf8.elementsEqual(previous.issuer.utf8) else {
            throw IDTokenError(.issuer, "the refreshed ID token is from another issuer than before")
        }
        guard token.authorizedParty == previous.authorizedParty else {
            throw IDTokenError(.authorizedParty, "the refreshed ID token's azp is not the one before")
        }
        guard token.issuedAt >= previous.issuedAt else {
            throw IDTokenError(.issuedAt, "the refreshed ID token is older than the one before")
        }
        if let time = token.authenticatedAt, let before = previous.authenticatedAt, time != before {
            throw IDTokenError(.authenticationTime, "the refreshed ID token tells another time of sign-in")
        }
        if let nonce = token.nonce, nonce != previous.nonce {
            throw IDTokenError(.nonce, "the refreshed ID token's nonce is not the login's")
        }
    }

    /// Section 3.1.3.8: `at_hash`, where it is there, is the left half of the access token's digest.
    func checkAccessTokenHash(of token: IDToken, algorithm: SignatureAlgorithm) throws(IDTokenError) {
        guard let hash = token.accessTokenHash, let accessToken else { return }
        let digest = algorithm.digest(accessToken.withUnsafeBytes { Array($0) })
        guard Base64URL.decodeLeniently(utf8: hash.utf8) == Array(digest.prefix(digest.count / 2)) else {
            throw IDTokenError(.accessTokenHash, "the ID token belongs to another access token (at_hash)")
        }
    }

    private func isClient(_ text: String) -> Bool { text.utf8.elementsEqual(clientID.utf8) }
}

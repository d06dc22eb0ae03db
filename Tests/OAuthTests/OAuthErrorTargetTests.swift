// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing

@testable import OAuth

/// What an error at the token endpoint is about, where one combination of scope and resource was asked for.
@Suite struct OAuthErrorTargetTests {
    @Test(arguments: ["invalid_scope", "invalid_target"])
    func `these are about what was asked for (8707-2)`(code: String) {
        let body = OAuthErrorBody(error: code, status: 400)
        #expect(body.isAboutTarget && !body.isAboutClient)
    }

    @Test func `a client that is refused, or an endpoint that is not there, is refused for all`() {
        for code in ["invalid_client", "unauthorized_client", "unsupported_grant_type"] {
            #expect(OAuthErrorBody(error: code, status: 400).isAboutClient)
        }
        #expect(OAuthErrorBody(error: "", status: 404).isAboutClient)
        #expect(!OAuthErrorBody(error: "invalid_request", status: 400).isAboutClient)
    }

    @Test func `what a provider says may mean the grant, unless it is about the client or says nothing`() {
        for code in ["invalid_request", "unauthorized_client", "quota_exceeded", "invalid_scope"] {
            #expect(OAuthErrorBody(error: code, status: 400).mayMeanGrant)
        }
        #expect(OAuthErrorBody(error: "", description: "no", status: 403).mayMeanGrant)
        #expect(!OAuthErrorBody(error: "", status: 403).mayMeanGrant)
        #expect(!OAuthErrorBody(error: "quota_exceeded", status: 200).mayMeanGrant)
        for code in ["invalid_client", "incorrect_client_credentials", "unsupported_grant_type"] {
            #expect(!OAuthErrorBody(error: code, status: 400).mayMeanGrant)
        }
        #expect(!OAuthErrorBody(error: "unauthorized_client", status: 404).mayMeanGrant)
        let wrongSecret = OAuthErrorBody(error: "access_denied", description: "Unauthorized", status: 401)
        #expect(wrongSecret.refusesClient && wrongSecret.isAboutClient && !wrongSecret.mayMeanGrant)
    }

    @Test func `a resource that wants consent or a second factor does not end the grant`() {
        #expect(OAuthErrorBody(error: "invalid_grant", status: 400).endsWholeGrant)
        #expect(OAuthErrorBody(error: "invalid_grant", suberror: "bad_token", status: 400).endsWholeGrant)
        #expect(OAuthErrorBody(error: "login_required", status: 400).endsWholeGrant)
        for code in ["access_denied", "interaction_required", "consent_required"] {
            #expect(!OAuthErrorBody(error: code, status: 403).endsWholeGrant)
        }
        for finer in ["consent_required", "basic_action", "additional_action"] {
            #expect(!OAuthErrorBody(error: "invalid_grant", suberror: finer, status: 400).endsWholeGrant)
        }
        #expect(!OAuthErrorBody(error: "invalid_grant", numbers: [65001], status: 400).endsWholeGrant)
    }
}

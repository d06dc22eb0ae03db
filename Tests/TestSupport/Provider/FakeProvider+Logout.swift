// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension FakeProvider {
    /// The end-session endpoint (OpenID Connect RP-Initiated Logout 1.0, section 2): it ends the session without asking,
    /// where the hint says whose it is.
    func endSession(_ request: WireRequest) -> WireResponse {
        let parameters = request.queryParameters
        noteShape(of: parameters, .endSession)
        guard let hint = parameters["id_token_hint"], withState({ $0.idTokens.contains(hint) }) else {
            note(.endSession, .endSession, "id_token_hint")
            return .html(SignInForm.refusal("Whose session is that?"), status: 400)
        }
        guard let client = settings.clients.first(where: { $0.id == parameters["client_id"] }) else {
            note(.clientUnknown, .endSession, "client_id")
            return .html(SignInForm.refusal("Nothing is known here of the program that sent you."), status: 400)
        }
        guard let uri = parameters["post_logout_redirect_uri"] else {
            return .html(SignInForm.refusal("You are signed out of the provider."))
        }
        guard client.accepts(postLogoutURI: uri) else {
            note(.redirectURI, .endSession, uri)
            return .html(SignInForm.refusal("The program that sent you gave no address to return to."), status: 400)
        }
        let state = parameters["state"].map { "?state=" + WireParameters.encode($0) } ?? ""
        return .redirect(to: uri + state)
    }
}

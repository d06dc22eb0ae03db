// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import Secrets
import StrictJSON

/// When an authorization request is sent to the provider directly instead of through the browser (RFC 9126); `par` in
/// an account's file.
package enum PushPolicy: String, Sendable, CaseIterable {
    /// If the provider requires it.
    case auto
    case always
    case never
}

extension ProviderMetadata {
    /// The endpoint for pushed requests; nil if the browser carries the request.
    ///
    /// - Throws: if the account's setting and the provider's metadata conflict, before a browser opens.
    package func pushEndpoint(_ policy: PushPolicy) throws(OAuthError) -> WebURL? {
        switch policy {
        case .never where requiresPushedRequests:
            throw OAuthError(
                .unsupported,
                "the provider requires pushed authorization requests (RFC 9126), and the account says par: \"never\""
            )
        case .auto where requiresPushedRequests, .always:
            return try require(
                \.pushedAuthorizationRequestEndpoint,
                named: "pushed_authorization_request_endpoint"
            )
        case .auto, .never:
            return nil
        }
    }
}

extension AuthorizationRequest {
    /// The pushed request: the same parameters, with the client authentication of the token endpoint (RFC 9126, section
    /// 2.1).
    package func pushed(to endpoint: WebURL, authentication: ClientAuthentication) throws(OAuthError) -> HTTPRequest {
        var form = FormParameters()
        for element in try parameters() where element.name != "client_id" { form.append(element.name, element.secret) }
        // It is a parameter of the authorization request, whatever the client authentication.
        switch authentication {
        case .clientSecretBasic, .clientSecretBasicUnencoded: form.append("client_id", clientID)
        case .none, .clientSecretPost, .privateKeyJWT: break
        }
        return .form(form, to: endpoint, clientID: clientID, authentication: authentication)
    }
}

/// The result of a pushed request (RFC 9126, sections 2.2 and 2.3).
package enum PushedAuthorizationAnswer: Sendable, Hashable {
    /// The browser continues with this URI, once, within the given number of seconds.
    case accepted(requestURI: String, expiresIn: Int64)
    /// The provider refuses: the attempt ends before a browser opens.
    case refused(OAuthErrorBody)
    /// The provider is unavailable or asks to wait; with a sentence for a user.
    case unavailable(String)
    /// An answer that breaks the specification; with a sentence for a user.
    case invalid(String)

    /// Reads the answer; success has only the status 201. `sent` are the secrets of the request, which no text about
    /// the answer may repeat.
    package static func read(_ response: HTTPResponse, sent: [Secret] = []) -> PushedAuthorizationAnswer {
        let members = AnswerBody(response).object
        switch response.status {
        case 201:
            guard let uri = members?["request_uri"]?.string, isURI(uri) else {
                return .invalid("the answer to the pushed authorization request has no request_uri")
            }
            guard let seconds = members?["expires_in"].flatMap(Lifetime.wholeSeconds), seconds > 0 else {
                return .invalid("the answer to the pushed authorization request does not say how long it holds")
            }
            return .accepted(requestURI: uri, expiresIn: seconds)
        case 408, 425, 429, 500...:
            return .unavailable("the pushed authorization request was answered with HTTP \(response.status)")
        case 400..<500:
            let body = members.flatMap { OAuthErrorBody(answer: $0, status: response.status, sent: sent) }
            return .refused(body ?? OAuthErrorBody(error: "", status: response.status))
        default:
            return .invalid(
                "the pushed authorization request was answered with HTTP \(response.status) instead of 201"
            )
        }
    }

    /// Visible ASCII that begins like an absolute URI.
    private static func isURI(_ text: String) -> Bool {
        text.utf8.count <= 2048 && FormParameters.isResource(text)
    }
}

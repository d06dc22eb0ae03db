// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
import OAuth
import Secrets
import Systemd
package import TokendProtocol

extension Login {
    /// What the one who started it is told, and no one else.
    package struct Start: Sendable {
        package var flow = LoginFlow.browser
        /// nil where no browser is needed.
        package var authorizationURL: WebURL?
        package var redirectURI: String?
    }

    /// The parameters of a URL that is this login's redirect; nil for any other.
    func parameters(of url: Secret) -> FormParameters? {
        guard let redirectURI = start?.redirectURI else { return nil }
        return RedirectURI.parameters(of: url.reveal(), for: redirectURI)
    }

    /// Whether the URL is the answer to this very login.
    func isAnswer(_ url: Secret) -> Bool {
        guard let parameters = parameters(of: url), let machine else { return false }
        return machine.isAnswer(parameters)
    }

    /// A pushed request's name is good for one browser and for a short time, so each further one who asks gets a name of
    /// their own (RFC 9126, sections 2.2 and 4).
    func tellStart(_ start: Start, to starter: @escaping @LoopActor (Result<Start, ProtocolError>) -> Void) {
        guard let attempt, attempt.sent?.prepared.pushEndpoint != nil else { return starter(.success(start)) }
        Task.onLoop {
            do throws(ProtocolError) {
                var start = start
                start.authorizationURL = try await attempt.authorizationURL()
                starter(.success(start))
            } catch {
                starter(.failure(error))
            }
        }
    }
}

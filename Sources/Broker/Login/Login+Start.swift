// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
import OAuth
import Systemd
package import TokendProtocol

extension Login {
    /// The answer to the client that started the login, and to no other.
    package struct Start: Sendable {
        package var flow = LoginFlow.browser
        /// nil if no browser is needed.
        package var authorizationURL: WebURL?
        /// The listener's own page that redirects there; nil for a redirect without a listener.
        package var startURL: WebURL?
        package var redirectURI: String?
        /// The code for the user to enter on another device; nil in any other flow.
        package var device: DeviceStart?

        /// The page that a browser opens: the short one if there is one, so that the long URL with the state is in no
        /// process list.
        package var page: WebURL? {
            startURL ?? authorizationURL ?? device?.verificationURIComplete ?? device?.verificationURI
        }
    }

    /// A pushed request's URI is valid for one browser and a short time, so each further caller gets its own (RFC 9126,
    /// sections 2.2 and 4).
    func tellStart(_ start: Start, to starter: @escaping @LoopActor (Result<Start, ProtocolError>) -> Void) {
        guard let opened, opened.isPushed else { return starter(.success(start)) }
        Task.onLoop {
            do throws(ProtocolError) {
                var start = start
                start.authorizationURL = try await opened.authorizationURL()
                starter(.success(start))
            } catch {
                starter(.failure(error))
            }
        }
    }

    /// Redirects the browser from the listener's own page to the provider.
    func leadOn(_ answer: @escaping @LoopActor (RedirectAnswer) -> Void) {
        guard let start else { return answer(.refused(status: 404)) }
        tellStart(start) { [self] started in
            switch started {
            case .success(let start):
                answer(start.authorizationURL.map { .leadOn($0) } ?? .refused(status: 404))
            case .failure(let error):
                answer(LoginFailure.fault(error).page(account: account, provider: provider))
            }
        }
    }
}

/// The data that the user needs for a device login (RFC 8628, section 3.3), without the device code.
package struct DeviceStart: Sendable {
    /// The account's issuer, by which the user recognises the page (section 5.4).
    package var issuer: String
    package var userCode: String
    package var verificationURI: WebURL
    package var verificationURIComplete: WebURL?
    /// Seconds between two polls.
    package var interval: Int64
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Systemd
import TokendProtocol

extension Account {
    /// Prepares the provider's own logout (OpenID Connect RP-Initiated Logout); the local secrets are gone by then.
    ///
    /// - Parameter record: the grant that ended; its ID token is sent only where the grant was made for.
    func openEndSession(_ record: GrantRecord?, _ result: inout LogoutResult) async {
        do throws(EndSessionFault) {
            result.endSessionURL = try await endSessionURL(record).text
        } catch {
            result.endSessionFault = error.message
        }
    }

    private func endSessionURL(_ record: GrantRecord?) async throws(EndSessionFault) -> WebURL {
        guard let configuration else { throw EndSessionFault(message: "the settings of “\(name)” have a fault") }
        guard context.isAllowed(record) else {
            throw EndSessionFault(
                message: "the settings of “\(name)” changed since the sign-in, so its ID token was sent nowhere"
            )
        }
        let metadata: ProviderMetadata
        do {
            metadata = try await context.directory.metadata(for: configuration, wire: wire)
        } catch {
            throw EndSessionFault(message: error.message)
        }
        guard let endpoint = metadata.endSessionEndpoint else {
            throw EndSessionFault(
                message: "\(configuration.issuerHost) has no sign-out page; you stay signed in there in the browser"
            )
        }
        var request = EndSessionRequest(clientID: configuration.clientID)
        request.idToken = record?.newestIDToken
        signIns.closeEndSession()
        let session = EndSession(account: name, provider: configuration.issuerHost, clock: ports.clock)
        let url = try session.open(
            request,
            endpoint: endpoint,
            returning: configuration.postLogoutRedirect,
            redirects: ports.redirects,
            entropy: ports.entropy
        )
        signIns.keep(session)
        return url
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON
import Systemd
package import TokendProtocol

/// The view of a program that is, or may be, in a sandbox: the accounts that it may use, and no others.
extension RequestRouter {
    /// The program at the other end of the main socket, unless it is known to be in no sandbox.
    func confined(_ session: ClientSession) -> PeerIdentity? {
        guard session.view == nil else { return nil }
        let peer = session.identity()
        if peer.isOutsideSandboxes { return nil }
        // The process cannot have changed; there are only no descriptors left to inspect it.
        if case .unknown(_, .exhausted) = peer, session.connected.wasOutsideSandboxes { return nil }
        return peer
    }

    package func shows(_ event: EventMessage, to session: ClientSession) -> Bool {
        guard let peer = confined(session) else { return true }
        // A sandbox must not learn which other programs ask.
        guard !event.isQuestion, let name = event.account, let account = broker.accounts[name] else {
            return false
        }
        return isSeen(account, by: peer)
    }

    func isSeen(_ account: Account, by peer: PeerIdentity) -> Bool {
        guard account.hasPolicy else { return false }
        switch account.policy.tokens(for: peer, under: administrator, fileAt: FileIdentity.init(at:)) {
        case .allowed, .asks: return true
        case .refused, .denied: return mayChange(account, peer)
        }
    }

    /// At most providers the full token shows who the user is; a down-scoped one does not.
    func mayKnowPerson(of account: Account, _ peer: PeerIdentity) -> Bool {
        switch account.policy.tokens(for: peer, under: administrator, fileAt: FileIdentity.init(at:)) {
        case .allowed(let limits) where limits.isEmpty: return true
        case .asks(let limits, isEachTime: false) where limits.isEmpty && hasSaidAlways(peer, to: account): return true
        default: return mayChange(account, peer)
        }
    }

    private func mayChange(_ account: Account, _ peer: PeerIdentity) -> Bool {
        account.policy.administration(by: peer, under: administrator, fileAt: FileIdentity.init(at:)) == .allowed
    }
}

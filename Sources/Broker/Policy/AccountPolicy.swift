// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Systemd

/// Which programs may have an account's tokens, and which may change it: `allow`, `confirm` and `administration` of its
/// file.
package struct AccountPolicy: Sendable, Equatable {
    /// One program or more, and their settings.
    package struct Entry: Sendable, Equatable {
        package var client: ClientPattern
        package var limits = TokenLimits()
        /// Overrides the account's own `confirm`.
        package var confirm: ConfirmPolicy?

        package init(_ client: ClientPattern, limits: TokenLimits = TokenLimits(), confirm: ConfirmPolicy? = nil) {
            self.client = client
            self.limits = limits
            self.confirm = confirm
        }
    }

    /// The decision on a request for a token.
    package enum TokenVerdict: Sendable, Equatable {
        case allowed(TokenLimits)
        /// The user is asked first: each time, or once.
        case asks(TokenLimits, isEachTime: Bool)
        /// No entry matches the client.
        case refused
        /// The administrator has denied it.
        case denied
    }

    /// The decision on a request for a change.
    package enum AdministrationVerdict: Sendable, Equatable {
        case allowed
        case refused
        /// The administrator has denied it.
        case denied
    }

    package var allow = [Entry(.any)]
    package var confirm = ConfirmPolicy.never
    package var administration = [Entry(.any)]

    package init() {}

    /// Whether every program gets every token without consent, so that the peer need not be identified.
    package func isOpen(under administrator: AdministratorPolicy) -> Bool {
        allow == [Entry(.any)] && max(confirm, administrator.confirmAtLeast) == .never && administrator.deny.isEmpty
    }

    /// Whether this client gets a token; of several matching entries the most specific one applies, or else the first.
    /// A client that cannot be identified could be any: it gets only what all clients get.
    package func tokens(
        for peer: PeerIdentity,
        under administrator: AdministratorPolicy,
        fileAt: (String) -> FileIdentity?
    ) -> TokenVerdict {
        guard !administrator.denies(peer, fileAt: fileAt) else { return .denied }
        guard let entry = Self.entry(of: allow, for: peer, fileAt: fileAt) else { return .refused }
        guard case .unknown = peer else {
            return verdict(entry.limits, entry.confirm ?? confirm, under: administrator)
        }
        var common = TokenLimits()
        for entry in allow {
            guard let both = common.joined(with: entry.limits) else { return .refused }
            common = both
        }
        return verdict(common, allow.map { $0.confirm ?? confirm }.max() ?? confirm, under: administrator)
    }

    private func verdict(
        _ limits: TokenLimits,
        _ confirm: ConfirmPolicy,
        under administrator: AdministratorPolicy
    ) -> TokenVerdict {
        switch max(confirm, administrator.confirmAtLeast) {
        case .never: .allowed(limits)
        case .first: .asks(limits, isEachTime: false)
        case .always: .asks(limits, isEachTime: true)
        }
    }

    /// Whether this client may sign in, sign out and change the account. `*` matches neither programs in sandboxes nor
    /// those that may be in one.
    package func administration(
        by peer: PeerIdentity,
        under administrator: AdministratorPolicy,
        fileAt: (String) -> FileIdentity?
    ) -> AdministrationVerdict {
        guard !administrator.denies(peer, fileAt: fileAt) else { return .denied }
        guard let entry = Self.entry(of: administration, for: peer, fileAt: fileAt) else { return .refused }
        return entry.client == .any && !peer.isOutsideSandboxes ? .refused : .allowed
    }

    private static func entry(
        of entries: [Entry],
        for peer: PeerIdentity,
        fileAt: (String) -> FileIdentity?
    ) -> Entry? {
        var best: Entry?
        for entry in entries where entry.client.matches(peer, fileAt: fileAt) {
            if let best, best.client.rank >= entry.client.rank { continue }
            best = entry
        }
        return best
    }
}

extension PeerIdentity {
    /// A process that is known to be in no sandbox.
    package var isOutsideSandboxes: Bool {
        guard case .known(let process) = self else { return false }
        return process.sandbox == nil
    }
}

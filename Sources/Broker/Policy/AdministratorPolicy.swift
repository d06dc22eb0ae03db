// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Systemd

/// The administrator's rules for all users: `/etc/tokend/policy.json5`, applied last, so that no user's file can widen
/// it.
package struct AdministratorPolicy: Sendable, Equatable {
    /// Programs that get nothing from any account.
    package var deny: [ClientPattern] = []
    package var confirmAtLeast = ConfirmPolicy.never
    /// Whether a user may define further, restricted sockets.
    package var allowsSockets = true

    package init() {}

    /// Whether the client is denied. If any client is, one that cannot be identified is too: it may be that one.
    package func denies(_ peer: PeerIdentity, fileAt: (String) -> FileIdentity?) -> Bool {
        guard !deny.isEmpty else { return false }
        guard case .known = peer else { return true }
        return deny.contains { $0.matches(peer, fileAt: fileAt) }
    }

    /// Reads the file.
    ///
    /// - Throws: every fault that was found, at least one.
    package static func read(_ source: ConfigurationSource) throws(ConfigurationFaults) -> AdministratorPolicy {
        var reader = MemberReader(try source.object(), source: source)
        var policy = AdministratorPolicy()
        for text in reader.strings("deny") ?? [] {
            if let pattern = reader.pattern(text, "deny") { policy.deny.append(pattern) }
        }
        policy.confirmAtLeast = reader.word("confirm_at_least", as: ConfirmPolicy.self) ?? .never
        policy.allowsSockets = reader.bool("sockets") ?? true
        reader.finish()
        guard reader.faults.isEmpty else { throw ConfigurationFaults(reader.faults) }
        return policy
    }
}

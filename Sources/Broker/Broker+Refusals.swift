// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd
import TokendProtocol

extension Broker {
    /// A client was refused; logged once a minute for the same refusal.
    func refused(_ peer: PeerIdentity, pid: Int32, method: Method, account: String?) {
        let refusal = Refused(
            account: account,
            client: peer.logName,
            pid: peer.namedPID ?? pid,
            method: method.rawValue
        )
        guard refusals.isNew(refusal, at: ports.clock.now.boot) else { return }
        ports.log.record(.refused(refusal))
    }
}

/// A request that policy refused.
package struct Refused: Sendable, Hashable {
    package var account: String?
    /// As a policy writes it.
    package var client: String
    package var pid: Int32
    package var method: String
}

/// Recently logged refusals: a program that asks in a loop does not fill the log.
struct RefusalTally {
    private static let interval: Duration = .seconds(60)
    private static let limit = 256
    private var told: [Refused: BootInstant] = [:]

    mutating func isNew(_ refusal: Refused, at now: BootInstant) -> Bool {
        if let last = told[refusal], last.duration(to: now) < Self.interval { return false }
        if told.count >= Self.limit { told = [:] }
        told[refusal] = now
        return true
    }
}

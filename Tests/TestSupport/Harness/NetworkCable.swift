// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials

/// Two networks with a cable between them: the daemon's machine, and the world with its providers. The cable can be
/// unplugged, and what the world does with packets is said by nftables.
package final class NetworkCable: Sendable {
    /// The daemon's machine, with the address ``daemonAddress``.
    package let home: NetworkNamespace
    /// The world, with the addresses ``providerAddress``, ``portalAddress`` and whatever a test adds.
    package let world: NetworkNamespace

    package static let daemonAddress = "10.77.0.5"
    package static let providerAddress = "10.77.0.2"
    package static let portalAddress = "10.77.0.3"
    /// An address that swallows all.
    package static let deadAddress = "10.77.0.4"

    /// Lays it.
    package init() async throws {
        home = try await NetworkNamespace()
        world = try await NetworkNamespace()
        try await home.run("ip link add cable type veth peer name cable netns \(world.processID)")
        for address in [Self.providerAddress, Self.portalAddress, Self.deadAddress] {
            try await world.run("ip address add \(address)/24 dev cable")
        }
        try await world.run("ip link set cable up")
        try await plugIn()
        try await world.run("nft add table inet way")
        try await world.run("nft add chain inet way in { type filter hook input priority 0 ; }")
        try await world.run("nft add chain inet way out { type filter hook output priority 0 ; }")
        try await world.run("nft add chain inet way divert { type nat hook prerouting priority dstnat ; }")
        try await world.run("nft add counter inet way attempts")
        try await obstruct([])
    }

    /// The network comes to the daemon's machine, as after a suspend.
    package func plugIn() async throws {
        try await home.run("ip address add \(Self.daemonAddress)/24 dev cable")
        try await home.run("ip link set cable up")
        try await home.run("ip route add default via \(Self.providerAddress)")
    }

    /// The network goes: no address, no route, no carrier.
    package func unplug() async throws {
        try await home.run("ip address flush dev cable")
        try await home.run("ip link set cable down")
    }

    /// What becomes of packets from the daemon's machine from now on, in nft's words, such as `tcp dport 443 drop`; what
    /// goes to ``deadAddress`` is swallowed in any case.
    package func obstruct(_ rules: [String], outgoing: [String] = []) async throws {
        let attempts = "tcp flags & (syn | ack) == syn counter name attempts"
        try await world.run("nft flush chain inet way in")
        try await world.run("nft flush chain inet way out")
        for rule in [attempts, "ip daddr \(Self.deadAddress) drop"] + rules {
            try await world.run("nft add rule inet way in \(rule)")
        }
        for rule in outgoing { try await world.run("nft add rule inet way out \(rule)") }
    }

    /// Sends what is meant for the provider's https elsewhere, as a captive portal does; nil ends that. Connections that are
    /// open go on.
    package func divert(to address: String?) async throws {
        try await world.run("nft flush chain inet way divert")
        guard let address else { return }
        let rule = "ip daddr \(Self.providerAddress) tcp dport 443 dnat ip to \(address)"
        try await world.run("nft add rule inet way divert \(rule)")
    }

    /// How many connections have been tried, the kernel's own repetitions included.
    package func attempts() async throws -> Int {
        let words = try await world.run("nft list counter inet way attempts").split { " \n\t".contains($0) }
        guard let index = words.firstIndex(of: "packets"), let count = Int(words[index + 1]) else {
            throw ChildProcessError("nft says: \(words.joined(separator: " "))")
        }
        return count
    }

    /// A command that becomes a program on the daemon's machine, whose names are looked up as these files say.
    ///
    /// - Parameter folder: where they are written.
    package func program(nameServers: [String], in folder: String) throws -> [String] {
        let files = [
            ("resolv.conf", nameServers.map { "nameserver \($0)\n" }.joined() + "options timeout:1 attempts:1\n"),
            ("nsswitch.conf", "hosts: files dns\n"), ("hosts", "127.0.0.1 localhost\n"),
        ]
        var script = "set -e\n"
        for (name, text) in files {
            try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
            script += "mount --bind \"$1/\(name)\" /etc/\(name)\n"
        }
        script += "shift\nexec \"$@\"\n"
        return home.entrance + ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", folder]
    }
}

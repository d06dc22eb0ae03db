// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing
import TokendProtocol

@testable import Broker

/// `/etc/tokend/policy.json5`.
@Suite struct AdministratorPolicyTests {
    private static func read(_ text: String, daemon: String = "{}") -> Configuration {
        var files = Configuration.Files(folder: "/home/u/.config/tokend")
        files.policy = ConfigurationSource(file: "/etc/tokend/policy.json5", bytes: Array(text.utf8))
        files.daemon = [ConfigurationSource(file: "/home/u/.config/tokend/config.json5", bytes: Array(daemon.utf8))]
        var previous = DaemonConfiguration()
        previous.administrator.deny = [.snap("old")]
        return Configuration(files: files, previous: previous, digestOfFile: { _ in nil })
    }

    @Test func `its rules come into force with the settings`() {
        let configuration = Self.read("{ deny: ['flatpak:*', 'exe:/x'], confirm_at_least: 'first', sockets: false }")
        #expect(configuration.daemonFaults.isEmpty)
        let policy = configuration.daemon.administrator
        #expect(policy.deny == [.flatpak(nil), .executable("/x")])
        #expect(policy.confirmAtLeast == .first && !policy.allowsSockets)
        #expect(Self.read("{}").daemon.administrator == AdministratorPolicy())
    }

    @Test(arguments: ["{ deny: ['x'] }", "{ deny: 1 }", "{ confirm_at_least: 'x' }", "{ allow: [] }", "{", "[]"])
    func `a fault keeps the last good rules in force`(text: String) {
        let configuration = Self.read(text)
        #expect(configuration.daemonFaults.first?.file == "/etc/tokend/policy.json5")
        #expect(configuration.daemon.administrator.deny == [.snap("old")])
    }
}

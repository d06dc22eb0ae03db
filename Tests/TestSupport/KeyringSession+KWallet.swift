// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import FoundationEssentials

/// KDE's wallet as a third provider of the Secret Service, which has an interface of its own beside it; needs no display.
extension KeyringSession {
    /// The object path of its collection.
    package static let walletCollection = "/org/freedesktop/secrets/collection/kdewallet"

    /// Starts a kwalletd5 with a wallet from an earlier session and waits until that is there. `killKeyring()` and the
    /// like then work on it.
    ///
    /// - Parameters:
    ///   - opened: whether PAM has opened it, as it does at the login; the Secret Service calls it locked all the same.
    ///   - asking: whether the wallet asks about each program ("Prompt when an application accesses a wallet").
    package func startKWallet(opened: Bool = true, asking: Bool = false) async throws {
        if !FileManager.default.fileExists(atPath: folder + "/home/.local/share/kwalletd/kdewallet.kwl") {
            try writeWalletSettings(asking: asking)
            try await startWallet()
            // It has no collection for a wallet that did not exist when it started.
            try await openWallet()
            try await killKeyring()
        }
        try await startWallet()
        if opened { try await openWallet() }
    }

    /// Starts a kwalletd5 that has no wallet yet.
    package func startEmptyKWallet() async throws {
        try writeWalletSettings(asking: false)
        try await startWallet()
    }

    private func startWallet() async throws {
        let child = try ChildProcess(
            "kwalletd5",
            [],
            environment: environment.merging(["QT_QPA_PLATFORM": "offscreen", "TMPDIR": folder]) { $1 }
        )
        adopt(child)
        try await waitForName()
    }

    /// Opens the wallet as PAM does, with what it makes of the password.
    package func openWallet() async throws {
        let hash = Array(repeating: "byte 0x41", count: 56).joined(separator: ", ")
        try await callWallet("pamOpen", "kdewallet", "[\(hash)]", "0")
        guard try await isWalletOpen() else { throw ChildProcessError("the wallet did not open") }
    }

    /// Closes the wallet for every program.
    package func lockWallet() async throws {
        try await callWallet("close", "kdewallet", "true")
        while try await isWalletOpen() {}
    }

    /// What the wallet's own interface says.
    package func isWalletOpen() async throws -> Bool {
        try await callWallet("isOpen", "kdewallet").contains("true")
    }

    @discardableResult
    private func callWallet(_ method: String, _ arguments: String...) async throws -> String {
        let target = ["-d", "org.kde.kwalletd5", "-o", "/modules/kwalletd5", "-m", "org.kde.KWallet.\(method)"]
        let finished = try await run("gdbus", ["call", "--session"] + target + arguments)
        guard finished.status == .code(0) else { throw ChildProcessError("\(method): \(finished.errors)") }
        return finished.output
    }

    private func writeWalletSettings(asking: Bool) throws {
        let settings = folder + "/home/.config"
        try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
        try SessionFolder.write(
            """
            [Wallet]
            First Use=false
            Launch Manager=false
            Prompt on Open=\(asking)
            """,
            to: settings + "/kwalletrc"
        )
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import FoundationEssentials

/// KeePassXC as another provider of the Secret Service, with other habits; needs no display.
extension KeyringSession {
    /// The password of the database.
    package static let databasePassword = "kpw"

    /// The database that KeePassXC has open.
    package var database: String { folder + "/test.kdbx" }

    /// Makes a database whose root group is shown to the Secret Service, opens it in a KeePassXC and waits until that
    /// owns the name; takes about a second. `killKeyring()` and the like then work on it.
    ///
    /// - Parameter confirming: as KeePassXC does by default, each program (a connection to the bus) needs a user's
    ///   word for each item that it did not store itself: the item is locked for it.
    package func startKeePassXC(unlocked: Bool = true, confirming: Bool = false) async throws {
        if !FileManager.default.fileExists(atPath: database) {
            try await makeDatabase(confirming: confirming)
        }
        // One KeePassXC runs for each user and temporary folder.
        let own = ["QT_QPA_PLATFORM": "offscreen", "TMPDIR": folder]
        let child = try ChildProcess("keepassxc", [database], environment: environment.merging(own) { $1 })
        adopt(child)
        try await waitForName()
        while try await isLocked() == unlocked {
            guard child.isRunning else {
                throw ChildProcessError("KeePassXC ended: \(try await child.exit()) \(child.errors)")
            }
            // Not by `--pw-stdin`, with which 2.7.10 ends with SIGSEGV. While it starts it may not know the call yet, or
            // answer it and do nothing.
            if unlocked { try? await unlockKeePassXC() }
        }
    }

    /// Waits until the database on the disk has an item with this in its title: KeePassXC says that an item is stored
    /// before it is saved.
    package func waitForSavedItem(_ title: String) async throws {
        let command = ["ls", "-q", "-R", database]
        while try await !keepassxc(command, input: Self.databasePassword + "\n").contains(title) {}
    }

    private func isLocked() async throws -> Bool {
        // It may release the name and take it again while it starts.
        let alias = try? await call("org.freedesktop.Secret.Service.ReadAlias", "default")
        guard let alias, let path = alias.split(separator: "'").dropFirst().first, path != "/" else { return true }
        let finished = try await run(
            "gdbus",
            [
                "call", "--session", "-d", Self.busName, "-o", String(path),
                "-m", "org.freedesktop.DBus.Properties.Get", "org.freedesktop.Secret.Collection", "Locked",
            ]
        )
        return !finished.output.contains("false")
    }

    /// Locks the database, as KeePassXC does after a time. It puts that off while it saves what was just stored.
    package func lockKeePassXC() async throws {
        try await callKeePassXC("lockAllDatabases")
        while try await !isLocked() {}
    }

    /// Asks KeePassXC to unlock the database, without a prompt.
    package func unlockKeePassXC() async throws {
        try await callKeePassXC("openDatabase", database, Self.databasePassword)
    }

    private func callKeePassXC(_ method: String, _ arguments: String...) async throws {
        let target = ["-d", "org.keepassxc.KeePassXC.MainWindow", "-o", "/keepassxc"]
        let finished = try await run(
            "gdbus",
            ["call", "--session"] + target + ["-m", "org.keepassxc.KeePassXC.MainWindow.\(method)"] + arguments
        )
        guard finished.status == .code(0) else { throw ChildProcessError("\(method): \(finished.errors)") }
    }

    private func makeDatabase(confirming: Bool) async throws {
        let password = Self.databasePassword + "\n"
        let plain = folder + "/plain.kdbx"
        try await keepassxc(["db-create", "-q", "-p", plain], input: password + password)
        let exported = try await keepassxc(["export", "-q", "-f", "xml", plain], input: password)
        try SessionFolder.write(try exposingRootGroup(of: exported), to: folder + "/exposed.xml")
        try await keepassxc(["import", "-q", "-p", folder + "/exposed.xml", database], input: password + password)
        let settings = folder + "/home/.config/keepassxc"
        try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
        try SessionFolder.write(
            """
            [General]
            ConfigVersion=2
            UpdateCheckMessageShown=true
            AutoSaveAfterEveryChange=true
            [GUI]
            CheckForUpdates=false
            [FdoSecrets]
            Enabled=true
            ShowNotification=false
            ConfirmAccessItem=\(confirming)
            ConfirmDeleteItem=false
            UnlockBeforeSearch=false
            """,
            to: settings + "/keepassxc.ini"
        )
    }

    @discardableResult
    private func keepassxc(_ arguments: [String], input: String) async throws -> String {
        let finished = try await run("keepassxc-cli", arguments, input: .text(input))
        guard finished.status == .code(0) else {
            throw ChildProcessError("keepassxc-cli \(arguments[0]): \(finished.errors)")
        }
        return finished.output
    }

    /// Writes into a database's exported text that its root group is shown to the Secret Service.
    private func exposingRootGroup(of text: String) throws -> String {
        let unknown = ChildProcessError("an unknown form of KeePassXC's export")
        guard let root = text.firstRange(of: "<Root>"), let meta = text.firstRange(of: "</Meta>") else { throw unknown }
        guard
            let start = text[root.upperBound...].firstRange(of: "<UUID>"),
            let end = text[start.upperBound...].firstRange(of: "</UUID>"),
            let bytes = Data(base64Encoded: String(text[start.upperBound..<end.lowerBound])), bytes.count == 16
        else { throw unknown }
        let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        let groups = [hex[0..<4], hex[4..<6], hex[6..<8], hex[8..<10], hex[10..<16]]
        let identifier = groups.map { $0.joined() }.joined(separator: "-")
        let item = "<Item><Key>FDO_SECRETS_EXPOSED_GROUP</Key><Value>{\(identifier)}</Value></Item>"
        // The first custom data, if any, belong to <Meta>.
        for (place, change) in [
            ("</CustomData>", item + "</CustomData>"), ("<CustomData/>", "<CustomData>\(item)</CustomData>"),
        ] where text[..<meta.lowerBound].contains(place) {
            return text.replacing(place, with: change, maxReplacements: 1)
        }
        return text.replacing("</Meta>", with: "<CustomData>\(item)</CustomData></Meta>", maxReplacements: 1)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Broker
import FoundationEssentials
import JOSE
import TokendProtocol

/// Where configuration lies: the administrator's folder below the person's.
package struct ConfigurationFolders {
    /// The person's; the one that `status` names.
    package let personal: String
    let administrative = "/etc/tokend"

    /// `--config-dir`, `TOKEND_CONFIG_DIR`, `$XDG_CONFIG_HOME/tokend`, `~/.config/tokend`, in this order.
    package init(option: String?, environment: [String: String]) {
        if let folder = option ?? environment["TOKEND_CONFIG_DIR"].nonEmpty {
            personal = folder
        } else if let base = environment["XDG_CONFIG_HOME"].nonEmpty, base.hasPrefix("/") {
            personal = base + "/tokend"
        } else {
            personal = (environment["HOME"] ?? "/") + "/.config/tokend"
        }
    }

    /// The folders that a change of a file can happen in.
    package var watched: [String] {
        [personal, administrative].flatMap { [$0, $0 + "/accounts", $0 + "/providers"] }
    }

    /// Reads every file, as it is at this moment.
    package func read() -> Configuration.Files {
        var files = Configuration.Files(folder: personal)
        for folder in [administrative, personal] {
            readDaemonFile(folder + "/config.json5", into: &files)
            readAccounts(folder + "/accounts", into: &files)
            readPresets(folder + "/providers", into: &files)
        }
        // An administrator's rules that would not be kept are worse than a daemon that does not serve.
        let policy = administrative + "/policy.json5"
        if FileManager.default.fileExists(atPath: policy) {
            files.daemonFaults.append(
                ConfigurationFault(file: policy, message: "policies are not built yet in this version of tokend")
            )
        }
        return files
    }

    private func readDaemonFile(_ path: String, into files: inout Configuration.Files) {
        guard FileManager.default.fileExists(atPath: path) else { return }
        guard let bytes = RegularFile.bytes(of: path) else {
            files.daemonFaults.append(Self.unreadable(path))
            return
        }
        files.daemon.append(ConfigurationSource(file: path, bytes: bytes))
    }

    private func readAccounts(_ folder: String, into files: inout Configuration.Files) {
        for (account, path) in named(in: folder, &files) {
            // A file above another one stands for it, also where it cannot be read.
            files.accounts[account] = RegularFile.bytes(of: path).map { ConfigurationSource(file: path, bytes: $0) }
            files.accountFaults[account] = files.accounts[account] == nil ? Self.unreadable(path) : nil
        }
    }

    private func readPresets(_ folder: String, into files: inout Configuration.Files) {
        for (preset, path) in named(in: folder, &files) {
            files.presets[preset] = RegularFile.bytes(of: path).map { ConfigurationSource(file: path, bytes: $0) }
            files.presetFaults[preset] = files.presets[preset] == nil ? Self.unreadable(path) : nil
        }
    }

    /// The `NAME.json5` of a folder, with their paths.
    private func named(in folder: String, _ files: inout Configuration.Files) -> [(name: String, path: String)] {
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            files.folderFaults.append(
                ConfigurationFault(file: folder, message: "cannot be listed; check its owner and mode")
            )
            return []
        }
        var found: [(name: String, path: String)] = []
        for name in names.sorted() where !name.hasPrefix(".") {
            let path = folder + "/" + name
            if name.hasSuffix(".json5") {
                found.append((String(name.dropLast(6)), path))
            } else if [".json", ".json5", ".jsonc"].contains(where: name.lowercased().hasSuffix) {
                // A person meant this one to be read; what else lies there (an editor's copy, a note) is nobody's fault.
                files.folderFaults.append(ConfigurationFault(file: path, message: "its name must end in .json5"))
            }
        }
        return found
    }

    private static func unreadable(_ path: String) -> ConfigurationFault {
        ConfigurationFault(file: path, message: "cannot be read; check its owner and mode")
    }

    /// The SHA-256 of a file's content, in hexadecimal; nil where it cannot be read.
    static func digest(ofFile path: String) -> String? {
        RegularFile.bytes(of: path).map(digest(of:))
    }

    /// The SHA-256 of `content`, in hexadecimal.
    static func digest(of content: [UInt8]) -> String {
        Digest.sha256(content).map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
    }
}

extension String? {
    /// nil for an empty string, too: an empty variable is an unset one.
    var nonEmpty: String? {
        guard let self, !self.isEmpty else { return nil }
        return self
    }
}

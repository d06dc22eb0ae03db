// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Broker
import FoundationEssentials
import Glibc
import JOSE
import Systemd
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
    var watched: [String] {
        [personal, personal + "/accounts", administrative, administrative + "/accounts"]
    }

    /// Reads every file, as it is at this moment.
    ///
    /// - Parameter last: what was read before; of it is kept what cannot be read just now.
    package func read(
        keeping last: Configuration.Files? = nil,
        access: ConfigurationReader.Access = ConfigurationReader.Access()
    ) -> Configuration.Files {
        var files = Configuration.Files(folder: personal)
        for folder in [administrative, personal] {
            readDaemonFile(folder + "/config.json5", access, last, into: &files)
            readAccounts(folder + "/accounts", access, last, into: &files)
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

    private func readDaemonFile(
        _ path: String,
        _ access: ConfigurationReader.Access,
        _ last: Configuration.Files?,
        into files: inout Configuration.Files
    ) {
        do throws(FileFault) {
            files.daemon.append(ConfigurationSource(file: path, bytes: try access.bytes(path)))
        } catch {
            guard error.code != .missing || Self.isLink(path) else { return }
            let kept = last?.daemon.first { $0.file == path }
            guard error.code == .passing, last != nil else {
                files.daemonFaults.append(Self.unreadable(path))
                files.isIncomplete = files.isIncomplete || error.code == .passing
                return
            }
            if let kept { files.daemon.append(kept) }
            files.keep(path, error)
        }
    }

    private func readAccounts(
        _ folder: String,
        _ access: ConfigurationReader.Access,
        _ last: Configuration.Files?,
        into files: inout Configuration.Files
    ) {
        let names: [String]
        do throws(FileFault) {
            names = try access.names(folder)
        } catch {
            guard error.code != .missing else { return }
            if error.code == .passing {
                files.keep(folder, error)
            } else {
                files.folderFaults.append(
                    ConfigurationFault(file: folder, message: "cannot be listed; check its owner and mode")
                )
            }
            // Who is signed in there stays so.
            files.keepAccounts(of: folder, from: last)
            return
        }
        for name in names.sorted() where !name.hasPrefix(".") {
            let path = folder + "/" + name
            guard name.hasSuffix(".json5") else {
                // A person meant this one to be read; what else lies there (an editor's copy, a note) is nobody's fault.
                if [".json", ".json5", ".jsonc"].contains(where: name.lowercased().hasSuffix) {
                    files.folderFaults.append(ConfigurationFault(file: path, message: "its name must end in .json5"))
                }
                continue
            }
            readAccount(String(name.dropLast(6)), path, access, last, into: &files)
        }
    }

    /// A file above another one stands for it, also where it cannot be read.
    private func readAccount(
        _ account: String,
        _ path: String,
        _ access: ConfigurationReader.Access,
        _ last: Configuration.Files?,
        into files: inout Configuration.Files
    ) {
        files.accounts[account] = nil
        files.accountFaults[account] = nil
        do throws(FileFault) {
            files.accounts[account] = ConfigurationSource(file: path, bytes: try access.bytes(path))
        } catch {
            guard error.code == .passing else {
                files.accountFaults[account] = Self.unreadable(path)
                return
            }
            if let kept = last?.accounts[account], kept.file == path {
                files.accounts[account] = kept
                files.keep(path, error)
            } else {
                files.accountFaults[account] = Self.unreadable(path)
                files.isIncomplete = true
            }
        }
    }

    private static func unreadable(_ path: String) -> ConfigurationFault {
        ConfigurationFault(file: path, message: "cannot be read; check its owner and mode")
    }

    /// Whether a name is there that leads nowhere.
    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// The SHA-256 of a file's content, in hexadecimal; nil where it cannot be read.
    static func digest(ofFile path: String) -> String? {
        (try? RegularFile.bytes(of: path)).map(digest(of:))
    }

    /// The SHA-256 of `content`, in hexadecimal.
    static func digest(of content: [UInt8]) -> String {
        Digest.sha256(content).map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
    }
}

extension Configuration.Files {
    /// Notes that what was read before of a file or a folder holds for now.
    fileprivate mutating func keep(_ path: String, _ error: FileFault) {
        isIncomplete = true
        folderFaults.append(
            ConfigurationFault(
                file: path,
                message: "\(error.message) What was read of it before holds, and it is tried again.",
                mend: .wait
            )
        )
    }

    /// Takes over the accounts whose files lay in a folder.
    fileprivate mutating func keepAccounts(of folder: String, from last: Configuration.Files?) {
        guard let last else { return }
        for (name, source) in last.accounts where source.file == "\(folder)/\(name).json5" {
            accounts[name] = source
            accountFaults[name] = nil
        }
        for (name, fault) in last.accountFaults where fault.file == "\(folder)/\(name).json5" {
            accounts[name] = nil
            accountFaults[name] = fault
        }
    }
}

extension String? {
    /// nil for an empty string, too: an empty variable is an unset one.
    var nonEmpty: String? {
        guard let self, !self.isEmpty else { return nil }
        return self
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc
import Systemd
import TokendProtocol

/// One reading of the configuration's folders.
struct ConfigurationReading {
    typealias Sources = WritableKeyPath<Configuration.Files, [String: ConfigurationSource]>
    typealias Faults = WritableKeyPath<Configuration.Files, [String: ConfigurationFault]>

    private(set) var files: Configuration.Files
    private let access: ConfigurationReader.Access
    /// The previous reading, used for whatever cannot be read now.
    private let last: Configuration.Files?

    init(_ access: ConfigurationReader.Access, _ last: Configuration.Files?, into files: Configuration.Files) {
        self.access = access
        self.last = last
        self.files = files
    }

    /// Reads `config.json5` of a layer.
    mutating func readDaemonFile(_ path: String) {
        do throws(FileFault) {
            files.daemon.append(ConfigurationSource(file: path, bytes: try access.bytes(path)))
        } catch {
            guard error.code != .missing || Self.isLink(path) else { return }
            guard error.code == .passing, let last else {
                files.daemonFaults.append(Self.unreadable(path, error))
                files.isIncomplete = files.isIncomplete || error.code == .passing
                return
            }
            if let kept = last.daemon.first(where: { $0.file == path }) { files.daemon.append(kept) }
            keep(path, error)
        }
    }

    /// Reads the administrator's rules: the daemon does not serve without them, so an unreadable file is a fault,
    /// unless it was read before.
    mutating func readPolicy(_ path: String) {
        do throws(FileFault) {
            files.policy = ConfigurationSource(file: path, bytes: try access.bytes(path))
        } catch {
            guard error.code != .missing || Self.isLink(path) else { return }
            guard error.code == .passing, let last else {
                files.daemonFaults.append(Self.unreadable(path, error))
                files.isIncomplete = files.isIncomplete || error.code == .passing
                return
            }
            files.policy = last.policy
            keep(path, error)
        }
    }

    /// Reads the `NAME.json5` of a folder.
    mutating func readNamed(in folder: String, _ sources: Sources, _ faults: Faults) {
        let names: [String]
        do throws(FileFault) {
            names = try access.names(folder)
        } catch {
            guard error.code != .missing else { return }
            if error.code == .passing {
                keep(folder, error)
            } else {
                files.folderFaults.append(
                    ConfigurationFault(file: folder, message: "cannot be listed (\(error.reason))" + Self.advice(error))
                )
            }
            // The accounts there stay signed in.
            return keepAll(of: folder, sources, faults)
        }
        for name in names.sorted() where !name.hasPrefix(".") {
            let path = folder + "/" + name
            if name.hasSuffix(".json5") {
                read(String(name.dropLast(6)), path, sources, faults)
            } else if [".json", ".json5", ".jsonc"].contains(where: name.lowercased().hasSuffix) {
                // This one was probably meant to be read; other files (an editor's copy, a note) are ignored.
                files.folderFaults.append(ConfigurationFault(file: path, message: "its name must end in .json5"))
            }
        }
    }

    /// A file overrides the one in a lower layer even if it cannot be read.
    private mutating func read(_ name: String, _ path: String, _ sources: Sources, _ faults: Faults) {
        files[keyPath: sources][name] = nil
        files[keyPath: faults][name] = nil
        do throws(FileFault) {
            files[keyPath: sources][name] = ConfigurationSource(file: path, bytes: try access.bytes(path))
        } catch {
            if error.code == .passing, let kept = last?[keyPath: sources][name], kept.file == path {
                files[keyPath: sources][name] = kept
                keep(path, error)
            } else {
                files[keyPath: faults][name] = Self.unreadable(path, error)
                files.isIncomplete = files.isIncomplete || error.code == .passing
            }
        }
    }

    /// Records that the previous reading of a file or a folder stays in use.
    private mutating func keep(_ path: String, _ error: FileFault) {
        files.isIncomplete = true
        files.folderFaults.append(
            ConfigurationFault(
                file: path,
                message: "\(error.message); what was read of it before holds, and it is tried again",
                mend: .wait
            )
        )
    }

    /// Keeps the previous reading of a folder's files.
    private mutating func keepAll(of folder: String, _ sources: Sources, _ faults: Faults) {
        guard let last else { return }
        for (name, source) in last[keyPath: sources] where source.file == "\(folder)/\(name).json5" {
            files[keyPath: sources][name] = source
            files[keyPath: faults][name] = nil
        }
        for (name, fault) in last[keyPath: faults] where fault.file == "\(folder)/\(name).json5" {
            files[keyPath: sources][name] = nil
            files[keyPath: faults][name] = fault
        }
    }

    private static func unreadable(_ path: String, _ error: FileFault) -> ConfigurationFault {
        ConfigurationFault(file: path, message: "cannot be read (\(error.reason))" + advice(error))
    }

    private static func advice(_ error: FileFault) -> String {
        error.code == .forbidden ? "; check its owner and mode" : ""
    }

    /// Whether the path is a dangling link.
    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import FoundationEssentials

/// The account files in the person's own folder.
final class PersonalAccountFiles: AccountFiles {
    private let folders: ConfigurationFolders

    init(folders: ConfigurationFolders) {
        self.folders = folders
    }

    private var folder: String { folders.personal + "/accounts" }

    func path(of account: String) -> String {
        "\(folder)/\(account).json5"
    }

    func write(_ content: [UInt8], account: String) throws(AccountFileError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            // The daemon's umask makes it 0600 from the first byte on.
            try Data(content).write(to: URL(filePath: path(of: account)), options: .atomic)
        } catch {
            throw AccountFileError(message: "cannot write \(path(of: account)): \(error)")
        }
    }

    func remove(account: String) throws(AccountFileError) {
        guard FileManager.default.fileExists(atPath: path(of: account)) else { return }
        do {
            try FileManager.default.removeItem(atPath: path(of: account))
        } catch {
            throw AccountFileError(message: "cannot remove \(path(of: account)): \(error)")
        }
    }

    func digest(ofFile path: String) -> String? {
        ConfigurationFolders.digest(ofFile: path)
    }
}

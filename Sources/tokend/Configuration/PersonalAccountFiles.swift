// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc

/// The account files in the user's own folder.
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
        do throws(PrivateFile.Fault) {
            try PrivateFile.makeFolder(folder)
            try PrivateFile(Self.target(of: path(of: account))).replace(with: content)
        } catch {
            throw AccountFileError(message: error.message)
        }
    }

    /// The file itself where the name is a link to one: dotfiles stay links.
    private static func target(of path: String) -> String {
        let real = realpath(path, nil)
        defer { free(real) }
        return real.map { String(cString: $0) } ?? path
    }

    func remove(account: String) throws(AccountFileError) {
        guard unlink(path(of: account)) != 0, errno != ENOENT else { return }
        throw AccountFileError(message: "cannot remove \(path(of: account)): \(StartFailure.reason)")
    }

    func digest(ofFile path: String) -> String? {
        ConfigurationFolders.digest(ofFile: path)
    }
}

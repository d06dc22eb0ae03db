// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Broker
import JOSE
import Systemd
import TokendProtocol

/// The configuration's folders: the user's overrides the administrator's.
package struct ConfigurationFolders {
    /// The user's, which `status` names.
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

    /// The folders that contain configuration files.
    package var watched: [String] {
        [personal, administrative].flatMap { [$0, $0 + "/accounts", $0 + "/providers"] }
    }

    /// Reads every file as it is now.
    ///
    /// - Parameter last: the previous reading, used for whatever cannot be read now.
    package func read(
        keeping last: Configuration.Files? = nil,
        access: ConfigurationReader.Access = ConfigurationReader.Access()
    ) -> Configuration.Files {
        var reading = ConfigurationReading(access, last, into: Configuration.Files(folder: personal))
        for folder in [administrative, personal] {
            reading.readDaemonFile(folder + "/config.json5")
            reading.readNamed(in: folder + "/accounts", \.accounts, \.accountFaults)
            reading.readNamed(in: folder + "/providers", \.presets, \.presetFaults)
        }
        reading.readPolicy(administrative + "/policy.json5")
        return reading.files
    }

    /// The SHA-256 of a file's content, in hexadecimal; nil if it cannot be read.
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

extension String? {
    /// nil for an empty string: an empty variable counts as unset.
    var nonEmpty: String? {
        guard let self, !self.isEmpty else { return nil }
        return self
    }
}

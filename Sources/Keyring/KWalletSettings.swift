// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// The user's settings for KDE's wallet.
package enum KWalletSettings {
    /// Whether the user is asked about each program that uses an open wallet ("Prompt when an application accesses a
    /// wallet"): then only the user's own requests may use it. KDE's default is no.
    package static func asksForEachProgram(environment: [String: String]) -> Bool {
        let folder =
            environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? (environment["HOME"] ?? "") + "/.config"
        guard let content = try? RegularFile.bytes(of: folder + "/kwalletrc") else { return false }
        var group = Substring()
        for line in String(decoding: content, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("[") {
                group = line
            } else if group == "[Wallet]", line.hasPrefix("Prompt on Open") {
                let value = line.drop { $0 != "=" }.dropFirst().filter { $0 != " " && $0 != "\r" }
                return ["true", "1", "yes", "on"].contains(value.lowercased())
            }
        }
        return false
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import TokendProtocol

/// `tokend --check`: reads the configuration, prints its faults and ends.
struct ConfigurationCheck {
    private let folders: ConfigurationFolders

    init(_ folders: ConfigurationFolders) {
        self.folders = folders
    }

    /// - Returns: 0, or 78 if there is a fault.
    func run() -> Int32 {
        let configuration = Configuration(
            files: folders.read(),
            digestOfFile: ConfigurationFolders.digest(ofFile:)
        )
        let faults = configuration.faults
        guard faults.isEmpty else {
            for fault in faults { print(fault.description) }
            return 78
        }
        print("\(folders.personal): \(LogLine.count(configuration.accounts.count, "account")), no faults")
        return 0
    }
}

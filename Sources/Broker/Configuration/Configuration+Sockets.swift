// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

extension Configuration {
    /// Adds faults for further sockets that are not open, by the sockets' names. The file itself has no fault: once the
    /// path is usable, the settings are read again.
    mutating func note(closedSockets reasons: [String: String]) {
        socketFaults = reasons.sorted { $0.key < $1.key }.map { name, reason in
            let source = files.daemon.last { Self.line(of: name, in: $0) != nil }
            return ConfigurationFault(
                file: source?.file ?? folder + "/config.json5",
                line: source.flatMap { Self.line(of: name, in: $0) },
                member: "sockets.\(name)",
                message: "is not open: \(reason)",
                mend: .reload
            )
        }
    }

    private static func line(of socket: String, in source: ConfigurationSource) -> Int64? {
        let sockets = (try? source.object())?["sockets"]?.object
        return sockets?.member(socket).map { source.line(at: $0.nameRange.lowerBound) }
    }
}

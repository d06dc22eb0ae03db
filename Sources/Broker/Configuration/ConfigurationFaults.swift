// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
package import TokendProtocol

/// All the faults of one file, in the order of its lines; empty where they are known already.
package struct ConfigurationFaults: Error, Sendable {
    package let list: [ConfigurationFault]

    package init(_ list: [ConfigurationFault]) {
        // Faults of one line stay in their order; what is missing has no line and comes first.
        self.list = list.enumerated().sorted {
            ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset)
        }.map(\.element)
    }
}

extension ConfigurationFault {
    /// `FILE:LINE: MEMBER: MESSAGE`, the form editors can jump to.
    package var description: String {
        var text = file
        if let line { text += ":\(line)" }
        if let member { text += ": \(member)" }
        return text + ": " + message
    }

    /// What a person does about it, in words.
    package var remedy: String {
        switch mend {
        case .restart: "restart tokend: systemctl --user restart tokend"
        case .wait: "nothing: tokend tries again by itself"
        case nil: "edit \(file)"
        }
    }

    /// The answer to a client whose request needs what this fault disables.
    package var protocolError: ProtocolError {
        var data = encoded()
        data["message"] = nil
        return ProtocolError(.configInvalid, description, data: data)
    }
}

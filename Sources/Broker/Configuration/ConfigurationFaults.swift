// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON
package import TokendProtocol

/// All faults of one file and of the preset below it, in the order of their lines; empty if they are already known.
package struct ConfigurationFaults: Error, Sendable {
    package let list: [ConfigurationFault]

    package init(_ list: [ConfigurationFault]) {
        // Faults of one line keep their order; missing members have no line and come first.
        let files = list.map(\.file)
        func key(_ entry: (offset: Int, element: ConfigurationFault)) -> (Int, Int64, Int) {
            (files.firstIndex(of: entry.element.file) ?? 0, entry.element.line ?? 0, entry.offset)
        }
        self.list = list.enumerated().sorted { key($0) < key($1) }.map(\.element)
    }
}

extension ConfigurationFault {
    /// `FILE:LINE: MEMBER: MESSAGE`, the form editors can jump to: one line, whatever the names in it are.
    package var description: String {
        var text = file
        if let line { text += ":\(line)" }
        if let member { text += ": \(member)" }
        text += ": " + message
        let isPlain = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        return isPlain ? text : DisplayText.sanitized(text, limit: 4096)
    }

    /// What the user can do about it.
    package var remedy: String {
        switch mend {
        case .restart: "restart tokend"
        case .wait: "nothing: tokend tries again by itself"
        case .reload: "put that right, then: tokenctl reload"
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON

extension AccountConfiguration {
    /// Settings of features that are not built yet: only the value that asks for nothing is accepted, so that nobody
    /// believes in a protection that is not there.
    static func refuseUnbuilt(in reader: inout MemberReader) {
        for (name, accepted) in unbuilt {
            guard let value = reader.value(name), !accepted.contains(value) else { continue }
            reader.fault(name, notBuilt)
        }
    }

    private static let unbuilt: [(name: String, accepted: [JSONValue])] = [
        ("provider", []),
        ("client_authentication", [.string("none")]),
        ("scopes_from", []),
        ("flow", [.string("browser")]),
        ("dpop", [.string("never")]),
        ("par", [.string("auto"), .string("never")]),
        ("exchange", []),
        ("allow", [.array([.string("*")])]),
        ("administration", [.array([.string("*")])]),
        ("confirm", [.string("never")]),
    ]
}

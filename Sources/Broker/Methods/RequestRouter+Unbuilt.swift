// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

extension RequestRouter {
    /// Parameters of features that are not built yet: not in `hello`'s list, and refused, so that nobody believes to
    /// have got what was asked for.
    private static let unbuilt: [Method: [String]] = [
        .loginComplete: ["metadata"]
    ]

    /// Refuses a request that asks for one of them; `false` asks for nothing.
    static func refuseUnbuilt(_ method: Method, _ params: JSONObject) throws(ProtocolError) {
        guard let members = unbuilt[method], !params.isEmpty else { return }
        for member in members {
            guard let value = params[member], value.bool != false else { continue }
            throw .invalidParams(member: member, "“\(member)” is not built yet in this version of tokend")
        }
        // The parameters' own reader would list what is not built, too.
        guard let names = methods[method] else { return }
        for member in params where !names.contains(member.name) {
            throw .unknownParameter(member.name, known: built(method, names))
        }
    }

    /// The parameters that a method takes in this version.
    static func built(_ method: Method, _ names: [String]) -> [String] {
        guard let members = unbuilt[method] else { return names }
        return names.filter { !members.contains($0) }
    }
}

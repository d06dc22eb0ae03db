// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members

/// `hello`: the daemon's name, versions and methods.
package enum Hello: MethodCall {
    package static let method = Method.hello

    package typealias Parameters = NoParameters

    /// The daemon's description of itself.
    package struct Result: MethodResult {
        /// The program's name.
        package var name = ""
        /// The program's version.
        package var version = ""
        /// The protocol's version.
        package var protocolVersion: Int64 = 0
        /// The daemon's process.
        package var pid: Int64 = 0
        /// Each method of this socket, with the names of its parameters.
        package var methods: [String: [String]] = [:]

        /// An answer to `hello`.
        package init(name: String, version: String, protocolVersion: Int64, pid: Int64, methods: [String: [String]]) {
            self.name = name
            self.version = version
            self.protocolVersion = protocolVersion
            self.pid = pid
            self.methods = methods
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("name", \.name),
            .required("version", \.version),
            .required("protocol", \.protocolVersion),
            .required("pid", \.pid),
            .required("methods", \.methods),
        ]
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// `hello`: which daemon this is and what it has.
package enum Hello: MethodCall {
    package static let method = Method.hello

    package typealias Parameters = NoParameters

    /// What the daemon says of itself.
    package struct Result: MethodResult {
        /// The program's name.
        package var name: String
        /// The program's version.
        package var version: String
        /// The protocol's version.
        package var protocolVersion: Int64
        /// The daemon's process.
        package var pid: Int64
        /// Each method that is served on this socket, with the names of its parameters.
        package var methods: [String: [String]]

        /// An answer to `hello`.
        package init(name: String, version: String, protocolVersion: Int64, pid: Int64, methods: [String: [String]]) {
            self.name = name
            self.version = version
            self.protocolVersion = protocolVersion
            self.pid = pid
            self.methods = methods
        }

        package init(json: JSONObject) throws(ProtocolError) {
            let reader = MemberReader(result: json)
            name = try reader.required(reader.string("name"), "name")
            version = try reader.required(reader.string("version"), "version")
            protocolVersion = try reader.required(reader.integer("protocol"), "protocol")
            pid = try reader.required(reader.integer("pid"), "pid")
            let members = try reader.required(reader.object("methods"), "methods")
            let methodReader = MemberReader(result: members)
            var methods: [String: [String]] = [:]
            for name in members.names {
                methods[name] = try methodReader.strings(name)
            }
            self.methods = methods
        }

        package func encoded() -> JSONObject {
            var list: JSONObject = [:]
            for (name, parameters) in methods.sorted(by: { $0.key < $1.key }) {
                list.set(name, parameters)
            }
            var object: JSONObject = ["name": .string(name), "version": .string(version)]
            object.set("protocol", protocolVersion)
            object.set("pid", pid)
            object.set("methods", list)
            return object
        }
    }
}

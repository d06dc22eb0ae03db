// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// How the daemon is.
package struct DaemonStatus: Sendable, Equatable {
    /// The program's version.
    package var version: String
    /// Its process.
    package var pid: Int64
    /// When it started, in unix seconds.
    package var startedAt: Int64
    /// The path of the socket that this was asked on.
    package var socket: String
    /// Which store keeps the grants: `secret-service`, `file` or `memory`.
    package var storeKind: String
    /// How that store is.
    package var storeState: StoreState
    /// The folder of the configuration.
    package var configFolder: String
    /// Whether the configuration is in force.
    package var configState: String
    /// What is wrong with it.
    package var configFaults: [ConfigurationFault]
    /// The narrower sockets that are open; on the main socket alone.
    package var sockets: [FurtherSocket] = []
    /// Where its log goes: `journal`, or `stderr` of whoever started it; on the main socket alone.
    package var log: String?
    /// The file or the terminal that `stderr` is, as far as it has a path; on the main socket alone.
    package var logFile: String?
    /// How many clients are connected.
    package var clients: Int64
    /// How many requests were answered.
    package var requests: Int64
    /// How many refreshes were made.
    package var refreshes: Int64

    /// A socket that shows less than the main one.
    package struct FurtherSocket: Sendable, Equatable {
        package var name: String
        package var path: String
        /// When it goes, in unix seconds.
        package var until: Int64?

        /// A socket.
        package init(name: String, path: String, until: Int64? = nil) {
            self.name = name
            self.path = path
            self.until = until
        }

        init(json: JSONObject) throws(ProtocolError) {
            let reader = MemberReader(result: json)
            name = try reader.required(reader.string("name"), "name")
            path = try reader.required(reader.string("path"), "path")
            until = try reader.integer("until")
        }

        func encoded() -> JSONObject {
            var object: JSONObject = ["name": .string(name), "path": .string(path)]
            object.set("until", until)
            return object
        }
    }

    /// A daemon that has nothing to count yet.
    package init(
        version: String,
        pid: Int64,
        startedAt: Int64,
        socket: String,
        storeKind: String,
        storeState: StoreState,
        configFolder: String,
        configState: String,
        configFaults: [ConfigurationFault] = []
    ) {
        self.version = version
        self.pid = pid
        self.startedAt = startedAt
        self.socket = socket
        self.storeKind = storeKind
        self.storeState = storeState
        self.configFolder = configFolder
        self.configState = configState
        self.configFaults = configFaults
        clients = 0
        requests = 0
        refreshes = 0
    }

    init(json: JSONObject) throws(ProtocolError) {
        let reader = MemberReader(result: json)
        version = try reader.required(reader.string("version"), "version")
        pid = try reader.required(reader.integer("pid"), "pid")
        startedAt = try reader.required(reader.integer("started_at"), "started_at")
        socket = try reader.required(reader.string("socket"), "socket")
        let store = MemberReader(result: try reader.required(reader.object("store"), "store"))
        storeKind = try store.required(store.string("kind"), "kind")
        storeState = StoreState(rawValue: try store.required(store.string("state"), "state"))
        let config = MemberReader(result: try reader.required(reader.object("config"), "config"))
        configFolder = try config.required(config.string("folder"), "folder")
        configState = try config.required(config.string("state"), "state")
        configFaults = try ConfigurationFault.list(config.required(config.objects("faults"), "faults"))
        for object in try reader.objects("sockets") ?? [] { sockets.append(try FurtherSocket(json: object)) }
        log = try reader.string("log")
        logFile = try reader.string("log_file")
        clients = try reader.required(reader.integer("clients"), "clients")
        requests = try reader.required(reader.integer("requests"), "requests")
        refreshes = try reader.required(reader.integer("refreshes"), "refreshes")
    }

    /// The members of `daemon`.
    package func encoded() -> JSONObject {
        var object: JSONObject = [
            "version": .string(version),
            "pid": .integer(pid),
            "started_at": .integer(startedAt),
            "socket": .string(socket),
            "store": ["kind": .string(storeKind), "state": .string(storeState.rawValue)],
            "config": [
                "folder": .string(configFolder),
                "state": .string(configState),
                "faults": .array(configFaults.map { .object($0.encoded()) }),
            ],
            "clients": .integer(clients),
            "requests": .integer(requests),
            "refreshes": .integer(refreshes),
        ]
        object.set("log", log)
        object.set("log_file", logFile)
        if !sockets.isEmpty { object["sockets"] = .array(sockets.map { .object($0.encoded()) }) }
        return object
    }
}

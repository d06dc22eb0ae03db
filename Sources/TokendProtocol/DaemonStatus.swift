// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// How the daemon is.
package struct DaemonStatus: WireMessage {
    /// What `log` says of a daemon whose log does not go to the journal.
    package static let logOnStderr = "stderr"

    /// The program's version.
    package var version = ""
    /// Its process.
    package var pid: Int64 = 0
    /// When it started, in unix seconds.
    package var startedAt: Int64 = 0
    /// The path of the socket that this was asked on.
    package var socket = ""
    /// Which store keeps the grants: `secret-service`, `file` or `memory`.
    package var storeKind = ""
    /// How that store is.
    package var storeState = StoreState.unknown
    /// The folder of the configuration.
    package var configFolder = ""
    /// Whether the configuration is in force.
    package var configState = ""
    /// What is wrong with it.
    package var configFaults: [ConfigurationFault] = []
    /// The narrower sockets that are open; on the main socket alone.
    package var sockets: [FurtherSocket] = []
    /// Where its log goes: `journal`, or `stderr` of whoever started it; on the main socket alone.
    package var log: String?
    /// The file or the terminal that `stderr` is, as far as it has a path; on the main socket alone.
    package var logFile: String?
    /// How many clients are connected.
    package var clients: Int64 = 0
    /// How many requests were answered.
    package var requests: Int64 = 0
    /// How many refreshes were made.
    package var refreshes: Int64 = 0

    /// A socket that shows less than the main one.
    package struct FurtherSocket: WireMessage {
        package var name = ""
        package var path = ""
        /// When it goes, in unix seconds.
        package var until: Int64?

        /// A socket.
        package init(name: String, path: String, until: Int64? = nil) {
            self.name = name
            self.path = path
            self.until = until
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("name", \.name),
            .required("path", \.path),
            .optional("until", \.until),
        ]
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
    }

    package init() {}

    package static let members: [Member<Self>] = [
        .required("version", \.version),
        .required("pid", \.pid),
        .required("started_at", \.startedAt),
        .required("socket", \.socket),
        .group("store", [.required("kind", \.storeKind), .required("state", \.storeState)]),
        .group(
            "config",
            [
                .required("folder", \.configFolder), .required("state", \.configState),
                .required("faults", \.configFaults),
            ]
        ),
        .required("clients", \.clients),
        .required("requests", \.requests),
        .required("refreshes", \.refreshes),
        .optional("log", \.log),
        .optional("log_file", \.logFile),
        .unlessDefault("sockets", \.sockets),
    ]
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members

/// The state of the daemon.
package struct DaemonStatus: WireMessage {
    /// The value of `log` if the log does not go to the journal.
    package static let logOnStderr = "stderr"

    /// The program's version.
    package var version = ""
    /// Its process.
    package var pid: Int64 = 0
    /// When it started, in unix seconds.
    package var startedAt: Int64 = 0
    /// The path of the socket that was used.
    package var socket = ""
    /// The store's kind: `secret-service`, `file` or `memory`.
    package var storeKind = ""
    /// The store's state.
    package var storeState = StoreState.unknown
    /// Why it is locked or unavailable; on the main socket alone.
    package var storeMessage: String?
    /// The program that has to be seen to.
    package var storeProvider: String?
    /// Whether that program runs and does not answer.
    package var isStoreFrozen: Bool?
    /// The folder of the configuration.
    package var configFolder = ""
    /// Whether the configuration is in force.
    package var configState = ""
    /// Its faults.
    package var configFaults: [ConfigurationFault] = []
    /// The open further sockets; on the main socket alone.
    package var sockets: [FurtherSocket] = []
    /// The destination of its log: `journal`, or the `stderr` of whatever started it; on the main socket alone.
    package var log: String?
    /// The path behind `stderr`, if it has one; on the main socket alone.
    package var logFile: String?
    /// The number of connected clients.
    package var clients: Int64 = 0
    /// The number of answered requests.
    package var requests: Int64 = 0
    /// The number of refreshes.
    package var refreshes: Int64 = 0

    /// A further, restricted socket.
    package struct FurtherSocket: WireMessage {
        package var name = ""
        package var path = ""
        /// When it is removed, in unix seconds.
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

    /// A daemon with all counts at zero.
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
        .group(
            "store",
            [
                .required("kind", \.storeKind), .required("state", \.storeState), .optional("message", \.storeMessage),
                .optional("provider", \.storeProvider), .optional("frozen", \.isStoreFrozen),
            ]
        ),
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The path of the daemon's socket.
package enum SocketPath {
    /// Why there is no path.
    package struct PathError: Error, Sendable, Equatable {
        /// One sentence for a user, with the next step.
        package let message: String
    }

    /// The size of `sockaddr_un.sun_path` without its NUL.
    private static let longest = 107

    /// The path of the main socket: `$TOKEND_SOCKET`, or `tokend/tokend.sock` below `$XDG_RUNTIME_DIR`, or below
    /// `/run/user/UID` if `isOwnFolder` says that this is the user's own folder.
    ///
    /// An empty variable counts as absent, and so does a relative `$XDG_RUNTIME_DIR` (as in the base directory
    /// specification).
    package static func resolve(
        environment: [String: String],
        uid: UInt32,
        isOwnFolder: (String) -> Bool
    ) throws(PathError) -> String {
        if let path = environment["TOKEND_SOCKET"], !path.isEmpty {
            return try checked(path, from: "TOKEND_SOCKET")
        }
        if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") {
            return try checked(
                folder + (folder.hasSuffix("/") ? "" : "/") + "tokend/tokend.sock",
                from: "XDG_RUNTIME_DIR"
            )
        }
        let folder = "/run/user/\(uid)"
        guard isOwnFolder(folder) else {
            let message =
                "there is no place for the socket: XDG_RUNTIME_DIR is not set and \(folder) is not there; "
                + "set XDG_RUNTIME_DIR or TOKEND_SOCKET"
            throw PathError(message: message)
        }
        return folder + "/tokend/tokend.sock"
    }

    private static func checked(_ path: String, from variable: String) throws(PathError) -> String {
        guard path.utf8.count <= longest else {
            throw PathError(
                message: "the socket's path is longer than \(longest) bytes; set \(variable) to a shorter one"
            )
        }
        return path
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TokendProtocol

/// The daemon's socket according to the environment.
enum SocketLocation {
    /// This process's relevant variables.
    static func variables() -> [String: String] {
        var environment: [String: String] = [:]
        for name in ["TOKEND_SOCKET", "TOKEND_SOCKET_UID", "XDG_RUNTIME_DIR"] {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        return environment
    }

    /// The socket's path, or why there is none.
    static func path(in environment: [String: String]) throws(TokenClientError) -> String {
        do throws(SocketPath.PathError) {
            return try SocketPath.resolve(environment: environment, uid: geteuid(), isOwnFolder: isOwnFolder)
        } catch {
            throw TokenClientError(.daemonAbsent, error.message)
        }
    }

    /// The required user of the listener: for `TOKEND_SOCKET` the one in `TOKEND_SOCKET_UID`, if it is set, else this
    /// user. A value that is no number is an error: no user is guessed.
    static func listener(in environment: [String: String]) throws(TokenClientError) -> UInt32 {
        guard environment["TOKEND_SOCKET"]?.isEmpty == false, let named = environment["TOKEND_SOCKET_UID"],
            !named.isEmpty
        else { return geteuid() }
        guard let uid = UInt32(named), uid != .max else {
            throw TokenClientError(.daemonAbsent, "TOKEND_SOCKET_UID must be a user’s number, such as 1000")
        }
        return uid
    }

    private static func isOwnFolder(_ path: String) -> Bool {
        var found = stat()
        return lstat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR && found.st_uid == geteuid()
    }
}

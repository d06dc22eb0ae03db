// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

/// Messages between the process and the service manager that started it (`sd_notify(3)`, `sd_listen_fds(3)`).
package enum ServiceManager {
    /// One notification.
    package enum Notice: Sendable, Equatable {
        /// The service is ready, or ready again after a reload.
        case ready
        /// It is reloading its configuration; ends with `ready`.
        case reloading
        /// It is stopping.
        case stopping
        /// One line about its state, for users.
        case status(String)

        /// The lines for the manager.
        var lines: [String] {
            switch self {
            case .ready: ["READY=1"]
            // Required by Type=notify-reload; otherwise ignored.
            case .reloading: ["RELOADING=1", "MONOTONIC_USEC=\(Self.monotonicMicroseconds)"]
            case .stopping: ["STOPPING=1"]
            case .status(let text):
                ["STATUS=" + String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))]
            }
        }

        private static var monotonicMicroseconds: Int {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
        }
    }

    /// Sends all of `notices` in one message.
    /// - Returns: whether a manager listens (`NOTIFY_SOCKET`).
    /// - Throws: if the message could not be sent to it; worth no more than a line in the log.
    @discardableResult
    package static func notify(_ notices: Notice...) throws(SystemdError) -> Bool {
        try notify(notices)
    }

    /// The same for a list.
    @discardableResult
    package static func notify(_ notices: [Notice]) throws(SystemdError) -> Bool {
        let text = notices.flatMap(\.lines).joined(separator: "\n")
        return try SystemdError.check(sd_notify(0, text), "tell the service manager") > 0
    }

    /// The descriptors passed by the manager (`LISTEN_FDS`), by their `FileDescriptorName`, which sockets may share;
    /// without one it is `unknown`. The caller owns them; they are closed on exec.
    ///
    /// The variables are removed from the environment, so a second call finds nothing.
    package static func takeListenDescriptors() throws(SystemdError) -> [String: [Int32]] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = try SystemdError.check(
            sd_listen_fds_with_names(1, &names),
            "take over the sockets of the service manager"
        )
        defer { free(names) }
        var descriptors: [String: [Int32]] = [:]
        for index in 0..<Int(count) {
            // SD_LISTEN_FDS_START is 3.
            let name = names?[index].map { String(cString: $0) } ?? "unknown"
            descriptors[name, default: []].append(Int32(3 + index))
            free(names?[index])
        }
        return descriptors
    }

    /// Whether `descriptor` is a stream socket that listens on a path of the file system.
    package static func isListeningUnixStream(_ descriptor: Int32) -> Bool {
        sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0
    }
}

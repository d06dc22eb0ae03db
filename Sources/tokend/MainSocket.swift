// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Systemd
import TokendProtocol

/// The socket for clients: passed by the service manager, or created here.
struct MainSocket {
    let descriptor: Int32
    /// For `status`.
    let path: String
    /// The created file, which a planned stop removes; nil if the service manager created it.
    private let file: FileIdentity?

    /// The name in the socket unit (`FileDescriptorName=`).
    private static let name = "tokend"

    /// Its path: `--socket`, or `TokendProtocol`'s rule for the environment.
    static func path(
        _ options: CommandLineOptions,
        _ environment: [String: String]
    ) throws(StartFailure) -> String {
        if let path = options.socket { return path }
        do {
            return try SocketPath.resolve(environment: environment, uid: getuid()) { folder in
                var status = stat()
                return stat(folder, &status) == 0 && status.st_uid == getuid()
            }
        } catch {
            throw StartFailure(code: 78, message: error.message)
        }
    }

    /// Takes the socket that systemd passed; nil if there is none.
    static func activated(path: String) throws(StartFailure) -> MainSocket? {
        let handed: [String: [Int32]]
        do {
            handed = try ServiceManager.takeListenDescriptors()
        } catch {
            throw StartFailure(code: 71, message: error.message)
        }
        guard !handed.isEmpty else { return nil }
        guard let descriptor = handed[name]?.first, UnixSocketListener.isListening(descriptor) else {
            throw StartFailure(
                code: 78,
                message: "the socket unit hands over no stream socket of the name “\(name)” (FileDescriptorName=)"
            )
        }
        for (other, descriptors) in handed {
            for extra in other == name ? descriptors.dropFirst() : descriptors[...] { close(extra) }
        }
        return MainSocket(descriptor: descriptor, path: path, file: nil)
    }

    /// Creates the socket: folder 0700, socket with `mode`; replaces a dead daemon's socket.
    ///
    /// - Parameter patience: how long another program may hold the folder's lock; any program that can read a folder
    ///   can lock it.
    /// - Throws: 73 if a daemon answers on it.
    static func make(
        path: String,
        mode: UInt32 = 0o600,
        patience: Duration = .seconds(5)
    ) throws(StartFailure) -> MainSocket {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        if !folder.isEmpty, mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw StartFailure(code: 73, message: "cannot make the folder \(folder): \(StartFailure.reason)")
        }
        // Two daemons that start at the same time must not take the socket from each other.
        let guardian = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard guardian >= 0 else {
            throw StartFailure(code: 73, message: "cannot open the folder \(folder): \(StartFailure.reason)")
        }
        defer { close(guardian) }
        guard lock(guardian, patience) else {
            throw StartFailure(code: 73, message: "cannot lock the folder \(folder): \(StartFailure.reason)")
        }
        guard !UnixSocketListener.answers(path) else {
            throw StartFailure(code: 73, message: "a tokend answers on \(path) already")
        }
        do {
            let descriptor = try UnixSocketListener.bind(path, mode: mode)
            return MainSocket(descriptor: descriptor, path: path, file: FileIdentity(ofEntry: path))
        } catch {
            throw StartFailure(code: 73, message: "cannot make the socket \(path): \(error.message)")
        }
    }

    private static func lock(_ descriptor: Int32, _ patience: Duration) -> Bool {
        let end = ContinuousClock.now + patience
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK, ContinuousClock.now < end else { return false }
            usleep(10_000)
        }
        return true
    }

    /// Whether the created file is still there, and not replaced.
    var isThere: Bool { file == nil || file == FileIdentity(ofEntry: path) }

    /// Stops listening; a socket created here is removed first, so that no client finds it dead. A file that has
    /// replaced it is left alone.
    func remove() {
        if file != nil, isThere { unlink(path) }
        close(descriptor)
    }
}

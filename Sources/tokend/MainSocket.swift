// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Systemd
import TokendProtocol

/// The socket that clients connect to: handed over by the service manager, or made here.
struct MainSocket {
    let descriptor: Int32
    /// For `status`.
    let path: String
    /// The file that was made, which a planned stop removes; nil where the service manager made it.
    private let file: FileIdentity?

    /// The name in the socket unit (`FileDescriptorName=`).
    private static let name = "tokend"

    /// Where it is to be: `--socket`, or what `TokendProtocol` says of the environment.
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

    /// Takes the socket that systemd hands over; nil where there is none.
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

    /// Makes the socket: folder 0700, socket as `mode` says; a dead daemon's socket is taken over.
    ///
    /// - Parameter patience: how long another program may hold the folder's lock; whoever can read a folder can lock it.
    /// - Throws: 73 where a daemon answers on it.
    static func make(
        path: String,
        mode: UInt32 = 0o600,
        patience: Duration = .seconds(5)
    ) throws(StartFailure) -> MainSocket {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        if !folder.isEmpty, mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw StartFailure(code: 73, message: "cannot make the folder \(folder): \(StartFailure.reason)")
        }
        // Two that start at the same moment do not take the socket from each other.
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

    /// Whether what was made lies there still, and not something else, or nothing.
    var isThere: Bool { file == nil || file == FileIdentity(ofEntry: path) }

    /// Ends the listening; a socket of our own making is removed first, so that no client finds it dead. What somebody
    /// has put into its place meanwhile is left alone.
    func remove() {
        if file != nil, isThere { unlink(path) }
        close(descriptor)
    }
}

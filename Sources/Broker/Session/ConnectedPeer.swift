// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// The process that opened a connection, as far as it can be distinguished from others that use it later.
struct ConnectedPeer {
    let credentials: UnixSocket.Credentials
    /// It connected before SO_PASSCRED was set on the listener, so the sender of its first bytes is unknown.
    var isFromBacklog = false
    private let process: PeerProcess
    /// The program that the process ran when it was first inspected.
    private var firstProgram: FileIdentity?
    /// It was known to be outside sandboxes when it was last inspected.
    private(set) var wasOutsideSandboxes = false
    /// Bytes came from another process than the one that connected: a descriptor was passed on, or inherited.
    private var isShared = false

    init(_ credentials: UnixSocket.Credentials) {
        self.credentials = credentials
        process = PeerProcess(credentials)
    }

    /// Records the program that it runs now.
    mutating func noteProgram(on descriptor: Int32) {
        firstProgram = process.program(on: descriptor)
    }

    /// Records that `sender` wrote; 0: the sender is unknown.
    mutating func noteSender(_ sender: Int32) {
        if !isFromPeer(sender) { isShared = true }
    }

    /// Whether the sender is the process that connected, as far as the kernel tells.
    func isFromPeer(_ sender: Int32) -> Bool { sender == credentials.pid || sender == 0 && isFromBacklog }

    /// Identifies the peer now, and for a policy the program that has called it: the process may run another program since, or have passed the connection on.
    mutating func identity(on descriptor: Int32, withCaller: Bool) -> PeerIdentity {
        guard !isShared else { return .unknown(pid: credentials.pid, .shared) }
        let identity = process.identity(on: descriptor, withCaller: withCaller)
        guard case .known(let known) = identity else { return identity }
        if let firstProgram, firstProgram != known.executable.file {
            return .unknown(pid: credentials.pid, .replaced)
        }
        firstProgram = known.executable.file
        wasOutsideSandboxes = known.sandbox == nil
        return identity
    }
}

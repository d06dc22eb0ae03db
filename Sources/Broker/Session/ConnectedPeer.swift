// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// The process on the other end of a connection, as far as it can be told from others that come to use it.
struct ConnectedPeer {
    let credentials: UnixSocket.Credentials
    /// It connected before SO_PASSCRED was set on the listener, so the sender of its first bytes is unknown.
    var isFromBacklog = false
    private let process: PeerProcess
    /// What the process ran when it was first looked at.
    private var firstProgram: FileIdentity?
    /// It was known to be in no sandbox when it was last looked at.
    private(set) var wasOutsideSandboxes = false
    /// Bytes came from another process than the one that connected: a descriptor was passed on, or inherited.
    private var isShared = false

    init(_ credentials: UnixSocket.Credentials) {
        self.credentials = credentials
        process = PeerProcess(credentials)
    }

    /// Remembers what it runs now.
    mutating func noteProgram(on descriptor: Int32) {
        firstProgram = process.program(on: descriptor)
    }

    /// Remembers that `sender` wrote; 0: the sender is unknown.
    mutating func noteSender(_ sender: Int32) {
        if !isFromPeer(sender) { isShared = true }
    }

    /// Whether it is the one who connected, as far as the kernel says.
    func isFromPeer(_ sender: Int32) -> Bool { sender == credentials.pid || sender == 0 && isFromBacklog }

    /// Identifies the peer now: the process may run another program since, or have passed the connection on.
    mutating func identity(on descriptor: Int32) -> PeerIdentity {
        guard !isShared else { return .unknown(pid: credentials.pid, .shared) }
        let identity = process.identity(on: descriptor)
        guard case .known(let known) = identity else { return identity }
        if let firstProgram, firstProgram != known.executable.file {
            return .unknown(pid: credentials.pid, .replaced)
        }
        firstProgram = known.executable.file
        wasOutsideSandboxes = known.sandbox == nil
        return identity
    }
}

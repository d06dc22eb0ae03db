// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// One socket on its way to one machine, as two runs of ssh: the first makes room over there and learns the path, the
/// second carries the socket.
package struct SocketForwarding: Sendable {
    package let ssh: String
    /// As ssh takes it: a name of its configuration, or USER@HOST.
    package let host: String
    /// Letters, digits and ._@- only: it becomes part of a shell's line.
    package let name: String
    /// The socket here.
    package let path: String

    package init(ssh: String, host: String, name: String, path: String) {
        self.ssh = ssh
        self.host = host
        self.name = name
        self.path = path
    }

    /// Makes the folder over there, for the user alone; what has that name in it is a dead socket of an earlier run.
    package var preparation: [String] {
        let script =
            "umask 077; d=\"${XDG_RUNTIME_DIR:-$HOME/.cache}/tokend/forward\"; mkdir -p \"$d\" && chmod 700 \"$d\" && "
            + "rm -f \"$d/\(name).sock\" && printf \"%s\\n\" \"$d/\(name).sock\""
        return [ssh, "-T", "--", host, "sh -c '\(script)'"]
    }

    /// Carries the socket. The command over there says that it is there, and holds the connection until our end of its
    /// stdin closes; then it clears up.
    package func carrying(to remote: String) -> [String] {
        let script = "test -S \"$1\" && echo up && cat >/dev/null; rm -f \"$1\""
        let options = [
            "ExitOnForwardFailure=yes", "ServerAliveInterval=15", "ServerAliveCountMax=3", "ControlMaster=no",
            "ControlPath=none", "StreamLocalBindMask=0177",
        ]
        return [ssh, "-T"] + options.flatMap { ["-o", $0] } + ["-R", "\(remote):\(path)"]
            + ["--", host, "sh -c '\(script)' sh '\(remote)'"]
    }

    /// Whether the path that came from over there can be put into a command line as it is.
    package static func isUsable(_ remote: String) -> Bool {
        remote.hasPrefix("/") && remote.utf8.count < 108
            && remote.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "/._@+-".utf8.contains(byte)
            }
    }
}

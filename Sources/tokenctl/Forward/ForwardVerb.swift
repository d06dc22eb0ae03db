// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokenClient
import TokendProtocol

extension Verb {
    /// `tokenctl forward`: carries a narrower socket to another machine, by OpenSSH's forwarding of Unix sockets, for as long
    /// as it runs.
    package static let forward = Verb(
        "forward",
        operands: [.text("HOST").required],
        flags: .of(.socket),
        hasResult: false,
        summary: "share limited access with a machine over SSH",
        details: [
            "Programs there get tokens from here over OpenSSH while this runs. No grant",
            "leaves this machine. The socket is one of `sockets` in config.json5, which says",
            "what it shows. A connection that drops is made again.",
        ],
        examples: ["tokenctl forward build.example.com --socket build"]
    ) { context throws(TokenctlError) in
        try ForwardVerb(context: context).run()
    }
}

extension Flag<String> {
    static var socket: Flag { Flag("--socket", .text("NAME"), "which of the further sockets; the only one without it") }
}

/// What `forward` does.
private struct ForwardVerb {
    /// How one connection ended.
    private struct Attempt {
        var wasUp = false
        /// What ssh said last.
        var message: String?
        var signal: Int32?
    }

    let context: CommandContext
    private var console: Console { context.console }

    func run() throws(TokenctlError) -> Int32 {
        let host = context.operands[0]
        let socket = try FurtherSockets(context: context).chosen()
        let ssh = try context.program("ssh", of: "openssh-client")
        let forwarding = SocketForwarding(ssh: ssh, host: host, name: socket.name, path: socket.path)
        try carry(forwarding, context.takeOverSignals())
        return ExitCode.success
    }

    /// Keeps it up: what drops is taken up again, but for the first time, when it is the user's to fix.
    private func carry(_ forwarding: SocketForwarding, _ interruption: Interruption) throws(TokenctlError) {
        var pause = ReconnectPause()
        while true {
            let began = context.now
            let attempt = attempt(forwarding, interruption, isFirst: pause.isFirst)
            try end(attempt.signal)
            if pause.isFirst, !attempt.wasUp { throw failure(attempt, forwarding) }
            let seconds = pause.next(after: context.now - began, wasUp: attempt.wasUp)
            console.say("The connection dropped; again in \(seconds) s. Ctrl-C ends.")
            try end(interruption.wait(for: .seconds(seconds)))
        }
    }

    private func end(_ signal: Int32?) throws(TokenctlError) {
        guard let signal else { return }
        throw .interrupted(by: signal, "the socket is not carried any more")
    }

    private func failure(_ attempt: Attempt, _ forwarding: SocketForwarding) -> TokenctlError {
        let host = TerminalText.sanitized(forwarding.host)
        return TokenctlError(
            .connectionLost,
            exitCode: ExitCode.unavailable,
            "the socket could not be shared with \(host)" + (attempt.message.map { ": \($0)" } ?? ""),
            next: ["ssh \(ShellWord.quoted(host)) true"]
        )
    }

    private func attempt(_ forwarding: SocketForwarding, _ interruption: Interruption, isFirst: Bool) -> Attempt {
        var attempt = Attempt()
        var remote: String?
        run(forwarding.preparation, interruption, &attempt) { remote = $0 }
        guard attempt.signal == nil, let remote else { return attempt }
        guard SocketForwarding.isUsable(remote) else {
            attempt.message = "the runtime folder over there has no plain name: \(remote)"
            return attempt
        }
        var wasUp = false
        run(forwarding.carrying(to: remote), interruption, &attempt) { line in
            guard line == "up" else { return }
            wasUp = true
            announce(forwarding, remote, isFirst: isFirst)
        }
        attempt.wasUp = wasUp
        return attempt
    }

    private func run(
        _ arguments: [String],
        _ interruption: Interruption,
        _ attempt: inout Attempt,
        _ output: (String) -> Void
    ) {
        var last: String?
        let program = WatchedProgram(
            arguments: SystemText.list(arguments),
            environment: context.world.variables
        )
        let end = program.run(until: interruption, output: output) { line in
            last = line
            console.say("ssh: \(line)")
        }
        if case .interrupted(let signal) = end { attempt.signal = signal }
        attempt.message = last
    }

    private func announce(_ forwarding: SocketForwarding, _ remote: String, isFirst: Bool) {
        let host = TerminalText.sanitized(forwarding.host)
        guard isFirst else { return console.say("“\(forwarding.name)” is at \(host) again.") }
        console.say("“\(forwarding.name)” is at \(host) while this runs. Ctrl-C ends it.")
        console.say("On that machine, tell programs where it is:")
        console.sayNext(["export TOKEND_SOCKET=\(remote)"])
    }
}

/// The narrower sockets that the daemon has open.
struct FurtherSockets {
    let context: CommandContext

    /// The one that `--socket` names, or the only one.
    func chosen() throws(TokenctlError) -> DaemonStatus.FurtherSocket {
        let status = try context.ask(Status.self, Status.Parameters())
        // The name becomes part of a path over there.
        let known = status.daemon.sockets.filter { AccountName.isValid($0.name) && !$0.path.isEmpty }
        let names = known.map(\.name).joined(separator: ", ")
        guard !known.isEmpty else {
            throw .usage(
                "there is no socket to share; describe one in config.json5",
                next: ["man tokend-config"]
            )
        }
        if let name = context[.socket] {
            if let socket = known.first(where: { $0.name == name }) { return socket }
            throw .usage("there is no socket “\(TerminalText.sanitized(name))”; there is: \(names)")
        }
        guard known.count == 1 else { throw .usage("which socket? There are: \(names) (--socket NAME)") }
        return known[0]
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import HTTPTypes
import OAuth
import Systemd
import TokendProtocol

/// The people whose accounts these are.
@LoopActor struct Users {
    /// How a sign-in goes on once the provider's page is there.
    enum Manner: CaseIterable {
        case finishes
        case cancels
        /// Comes back after the sign-in has given up.
        case isLate
        /// The browser sends the redirect twice.
        case comesTwice
        case saysNo
        case walksAway
    }

    unowned let world: World

    // MARK: Signing in

    func signIn(
        to account: World.Account,
        _ manner: Manner,
        _ dice: inout Dice,
        _ then: @escaping @LoopActor (Result<LoginResult, ProtocolError>) -> Void = { _ in }
    ) {
        guard let daemon = world.daemon, let real = try? daemon.broker?.account(named: account.name) else { return }
        let id = "login-\(dice.next())"
        guard let login = try? real.startLogin(LoginParameters(), id: id, timeout: 300) else { return }
        world.trace.note("a user begins to sign in", "\(account.name), who \(manner)")
        let pause = dice.span(manner == .isLate ? .seconds(301)...(.seconds(400)) : .seconds(1)...(.seconds(60)))
        login.whenStarted { [world] start in
            guard !daemon.isOver, case .success(let start) = start, let url = start.authorizationURL else { return }
            world.agenda.after(pause) {
                guard !daemon.isOver else { return }
                proceed(with: login, at: url, account, daemon, manner)
            }
        }
        login.whenEnded { if !daemon.isOver { then($0) } }
    }

    private func proceed(
        with login: Login,
        at url: WebURL,
        _ account: World.Account,
        _ daemon: Daemon,
        _ manner: Manner
    ) {
        guard let request = url.queryParameters else { return }
        switch manner {
        case .walksAway: return
        case .cancels: return login.cancel("the sign-in was cancelled")
        case .saysNo:
            var answer = FormParameters()
            answer.append("error", "access_denied")
            answer.append("state", request["state"] ?? "")
            comeBack(to: request["redirect_uri"], answer.encodedText(), daemon)
        case .finishes, .isLate, .comesTwice:
            let query = account.provider.approve(request, account: account.name)
            for _ in 0..<(manner == .comesTwice ? 2 : 1) { comeBack(to: request["redirect_uri"], query, daemon) }
        }
    }

    private func comeBack(to redirect: String?, _ query: String, _ daemon: Daemon) {
        guard let url = redirect.flatMap({ try? WebURL($0) }), let port = url.port else { return }
        get(url.path, query, url.host, port, daemon)
    }

    /// The browser asks for a page, and follows where it is led on this machine.
    private func get(_ path: String, _ query: String?, _ host: String, _ port: Int, _ daemon: Daemon) {
        let request = RedirectRequest(
            method: .get,
            path: path,
            query: query,
            headers: ["Host": "\(host):\(port)"]
        )
        daemon.redirects.receive(request, port: port) { answer in
            guard case .seeOther(let path) = answer, !daemon.isOver else { return }
            world.agenda.after(.milliseconds(30)) {
                if !daemon.isOver { get(path, nil, host, port, daemon) }
            }
        }
    }

    // MARK: Signing out

    func signOut(of account: World.Account, revoke: Bool) {
        guard let daemon = world.daemon, let real = try? daemon.broker?.account(named: account.name) else { return }
        world.trace.note("a user signs out", account.name)
        // Where that cannot be noted, a restart may undo it, and the answer says so.
        let isNoted = !world.isStateFolderFull
        Task.onLoop { [world] in
            let result = await real.logout(revoke: revoke)
            guard !daemon.isOver else { return }
            if result.removalFault != nil { world.trace.note("a sign-out may be undone", account.name) }
        }
        EventLoop.main.runAllJobs()
        guard isNoted else { return }
        (account.signedOutUpTo, account.signedOutAt) = (world.book.grantCount, world.agenda.now)
    }

    // MARK: Everything else

    func pause(_ account: World.Account, _ isPaused: Bool) {
        guard let daemon = world.daemon, let real = try? daemon.broker?.account(named: account.name) else { return }
        world.trace.note(isPaused ? "a user pauses an account" : "a user ends a pause", account.name)
        real.pause(isPaused)
    }

    func edit(_ account: World.Account, _ file: World.Account.File) {
        world.trace.note("a user edits a file", "\(account.name), now \(file)")
        account.file = file
        world.daemon?.broker?.reload()
    }
}

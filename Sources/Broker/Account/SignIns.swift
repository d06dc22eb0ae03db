// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// How one account comes by a grant and leaves the provider: the login under way and those that ended a short while ago,
/// imports, the provider's own logout; and when a program may have the user asked again.
@LoopActor final class SignIns {
    private static let endedLife: Duration = .seconds(60)

    private let clock: any Clock
    /// The login under way; nil: there is none.
    private(set) var login: Login?
    /// Logins that ended, for those who ask within a minute.
    private var ended: [(login: Login, endedAt: BootInstant)] = []
    /// After a login that came to nothing.
    private var loginPause = PromptPause()
    /// After a login that an API's challenge began, whatever came of it: a provider may let it through unseen.
    private var stepUpPause = PromptPause()
    /// Imports under way.
    private var importCount = 0
    /// The way to the provider's own logout, of the last one that was asked for.
    private var endSession: EndSession?

    init(clock: any Clock) {
        self.clock = clock
    }

    /// Whether a grant is on its way into the store that would be lost if the daemon ended.
    var isBusy: Bool { isStoring || importCount > 0 }

    /// Whether the login under way is storing its grant.
    var isStoring: Bool { login?.isStoring == true }

    // MARK: Logins

    /// A login has begun.
    func begin(_ login: Login) {
        self.login = login
    }

    /// A login has ended.
    ///
    /// - Parameter isSignedIn: whether it brought a grant.
    func end(_ login: Login, isSignedIn: Bool) {
        if self.login === login { self.login = nil }
        let now = clock.now.boot
        ended.removeAll { $0.endedAt.duration(to: now) > Self.endedLife }
        // Each newer login ends the one before; nobody waits for more than a few of them.
        ended = ended.suffix(15) + [(login, now)]
        if isSignedIn { loginPause.lift() } else if login.isShown { loginPause.begin(at: now) }
        if login.isStepUp, login.isShown { stepUpPause.begin(at: now) }
    }

    /// The login of that id: under way, or ended within the last minute.
    func login(id: String) -> Login? {
        if let login, login.id == id { return login }
        let now = clock.now.boot
        return ended.first { $0.login.id == id && $0.endedAt.duration(to: now) <= Self.endedLife }?.login
    }

    /// Whether a program may have a user asked to sign in.
    func mayAskUser(isStepUp: Bool) -> Bool {
        let now = clock.now.boot
        return !loginPause.isOn(at: now) && !(isStepUp && stepUpPause.isOn(at: now))
    }

    // MARK: Imports

    /// Counts an import while it runs.
    func importing<Value, Failure: Error>(
        _ body: @LoopActor () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        importCount += 1
        defer { importCount -= 1 }
        return try await body()
    }

    // MARK: The provider's own logout

    /// Closes the way to the provider's logout that is open: its port may be the one that is registered.
    func closeEndSession() {
        endSession?.close()
        endSession = nil
    }

    func keep(_ session: EndSession) {
        endSession = session
    }
}

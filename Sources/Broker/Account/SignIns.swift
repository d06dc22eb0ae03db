// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// The sign-ins of one account: the login under way and those that ended recently, imports, the provider's own logout,
/// and whether a program may ask the user again.
@LoopActor final class SignIns {
    private static let endedLife: Duration = .seconds(60)

    private let clock: any Clock
    /// The login under way; nil: there is none.
    private(set) var login: Login?
    /// Logins that ended within the last minute, for late requests.
    private var ended: [(login: Login, endedAt: BootInstant)] = []
    /// Begins after a login without success.
    private var loginPause = PromptPause()
    /// Begins after a login for an API's challenge, whatever its result: a provider may complete it without user
    /// interaction.
    private var stepUpPause = PromptPause()
    /// Imports under way.
    private var importCount = 0
    /// The provider's own logout that was prepared last.
    private var endSession: EndSession?

    init(clock: any Clock) {
        self.clock = clock
    }

    /// Whether a grant is being stored that would be lost if the daemon ended.
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
        // Each newer login ends the one before; only a few can be waited for.
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

    /// Whether a program may cause a sign-in prompt.
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

    /// Ends the open logout at the provider: its port may be the registered one.
    func closeEndSession() {
        endSession?.close()
        endSession = nil
    }

    func keep(_ session: EndSession) {
        endSession = session
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
package import Systemd
package import TokendProtocol

/// One account: joins its parts, each of which owns its state.
///
/// All of it runs on the loop, and nothing is awaited between reading and writing a state. What each part guarantees:
///
/// - `grant` (`GrantKeeper`): the state of the grant changes by events alone, and the timer is set after each. A task
///   takes a `GrantWork` when it begins. After a login, a logout, an import or a change of flow, the work is no longer
///   current: its result changes nothing, and a write that ended too late is corrected. Without this, a late result
///   could bring back a grant that the user has signed out of, or replace a new one with an old one.
/// - `GrantKeeper.locks`: the item has one writer at a time, and the refresh token one user. Two writers could store an
///   old record over a newer one; two users would send a token twice, which the provider would treat as theft.
/// - `waiters`: each waiter is answered once. Each read of the store and each refresh ends with a `resumeWaiters`.
/// - `signIns`: one login at a time. Until its grant is stored, it can be cancelled; from then on only a logout undoes
///   it.
/// - `revocation`: a grant that the user signed out of is revoked, by this daemon or by the next one, unless the user
///   has signed in again: a revocation then could end the new grant.
/// - `client`, `endWatch`: the client's item has one writer at a time; each notice of the grant's end is given once.
/// - `context` is the only thing that they share, and only `configure` and `retire` change it.
@LoopActor package final class Account {
    /// The parts share this: the ports, and the contents of the files.
    let context: AccountContext
    /// The client that the provider knows.
    let client: ClientItem
    let grant: GrantKeeper
    /// Clients that wait for a token.
    let waiters = TokenWaiters()
    /// Logins and imports under way.
    let signIns: SignIns
    /// Logouts that the provider has not been told of yet.
    let revocation: PendingRevocation
    /// Announces the grant's fixed end.
    let endWatch: EndWatch
    private let onRefresh: @LoopActor () -> Void
    private let onChange: @LoopActor () -> Void

    /// A token and whether it is a new one.
    package struct Served {
        package var token: HeldToken
        package var record: GrantRecord?
        package var refreshed: Bool
    }

    /// - Parameters:
    ///   - onRefresh: called after every refresh that was answered.
    ///   - onChange: called after every change of state.
    init(
        _ context: AccountContext,
        onRefresh: @escaping @LoopActor () -> Void,
        onChange: @escaping @LoopActor () -> Void
    ) {
        self.context = context
        self.onRefresh = onRefresh
        self.onChange = onChange
        client = ClientItem(context)
        grant = GrantKeeper(context)
        signIns = SignIns(clock: context.ports.clock)
        revocation = PendingRevocation(context, client: client)
        endWatch = EndWatch(account: context.name, clock: context.ports.clock, log: context.ports.log)
        grant.onDeadline = { [weak self] actions in self?.perform(actions) }
    }

    /// Something that `status` shows has changed.
    func changed() { onChange() }

    /// A refresh was answered.
    func refreshAnswered() { onRefresh() }

    // MARK: Configuration

    /// Takes over the account's file as it is now.
    func configure(_ new: Configuration.Account, daemon: DaemonConfiguration) {
        let isElsewhere = context.configure(new, daemon: daemon)
        guard configuration != nil else {
            login?.cancel("the settings of “\(name)” have a fault now; fix it, then sign in again")
            grant.enableIfUsable()
            return resumeWaiters(renewed: false)
        }
        grant.reconfigure()
        if isElsewhere { login?.cancel("the settings of “\(name)” changed during the sign-in; sign in again") }
        grant.enableIfUsable()
        settleFlow()
    }

    /// The account's file is gone: nothing is served, the item stays; a refresh that was sent is kept all the same.
    func retire() {
        login?.cancel("the account “\(name)” was removed")
        context.retire()
        grant.enableIfUsable()
        waiters.answerAll(.failure(context.gone))
    }

    /// Stores a secret of the account's client, in the secret store and nowhere else.
    ///
    /// - Throws: what is wrong with it, or the store's error; then nothing is stored.
    func giveSecret(_ kind: ClientSecretKind, _ value: Secret) async throws(ProtocolError) {
        try await client.give(kind, value)
        clientChanged()
    }

    /// Tries again what failed because of the provider's refusal or a missing secret.
    func clientChanged() {
        grant.reconfigure()
        changed()
    }

    // MARK: The daemon's life

    /// The store was unlocked or replaced.
    func storeChanged() {
        perform(grant.storeOpened())
    }

    /// The clocks stepped, or the machine was asleep.
    func timeJumped() {
        perform(grant.timeJumped())
        endWatch.watch(grant.record)
    }

    /// A network has come.
    func networkAppeared() {
        grant.networkAppeared()
        revocation.networkAppeared()
    }

    /// Whether an answer of the provider must be stored before the account may be released.
    package var isBusy: Bool { grant.isBusy || signIns.isBusy }

    /// Stops all background work except the store's.
    func stop() {
        login?.cancel("tokend is stopping")
        signIns.closeEndSession()
        grant.stop()
    }

    /// Stops or resumes background work for the user; the caller records it.
    package func pause(_ isPaused: Bool) {
        grant.pause(isPaused)
        changed()
    }
}

// MARK: - What is asked of an account

extension Account {
    package var name: String { context.name }

    /// nil while the account's file has faults.
    package var configuration: AccountConfiguration? { context.configuration }

    package var faults: [ConfigurationFault] { context.faults }

    /// The login under way.
    package var login: Login? { signIns.login }

    /// The answer to a plain request, if it is available now.
    var readyToken: ReadyToken? { grant.readyToken }

    var ports: BrokerPorts { context.ports }

    var wire: WireSettings { context.wire }

    /// The configuration's name for the provider.
    var issuerName: String { configuration?.issuerName ?? "" }

    var policy: AccountPolicy { context.policy }

    var hasPolicy: Bool { context.hasPolicy }

    /// Whether every program may have a token without the user's consent.
    var isOpenToAll: Bool { context.isOpenToAll }

    /// The account's file.
    var file: String { context.file }
}

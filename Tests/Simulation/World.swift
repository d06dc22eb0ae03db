// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import HTTPTypes
import OAuth
import Systemd
import TokendProtocol

/// All that a run consists of: the machine with its disk and its clocks, the daemon that runs there, the providers, the
/// network between, and who uses them. One seed makes all of it.
@LoopActor final class World {
    /// An account, and what its user has done.
    @LoopActor final class Account {
        let name: String
        let provider: Provider
        /// The last grant that the user has signed out of, and all before it.
        var signedOutUpTo = 0
        var signedOutAt: Span = 0
        /// When others last changed its item: what the daemon reads then is not what it wrote.
        var disturbedAt: Span?
        /// The grant whose refresh token was sent last, and the last one that the daemon knows to be over.
        var (usedGrant, endedGrant) = (0, 0)
        /// What the user has made of its file.
        var file = File.asItWas

        enum File { case asItWas, elsewhere, broken, gone }

        init(name: String, provider: Provider) {
            self.name = name
            self.provider = provider
        }
    }

    let agenda: Agenda
    let trace: Trace
    let book = Book()
    let providers: [Provider]
    /// In the order of their names.
    let accountList: [Account]
    let accounts: [String: Account]
    var dice: Dice
    private(set) lazy var disk = Disk(self, dice: lots.disk)
    private(set) lazy var network = Network(self, dice: lots.network)
    private(set) lazy var rules = Rules(self)
    private let lots: (disk: Dice, network: Dice)
    /// The daemon that runs; nil between an end and the next start.
    private(set) var daemon: Daemon?
    private var daemonCount = 0
    /// When each daemon ended, and since when nothing had been wrong then.
    private(set) var deaths: [Int: (at: Span, wellSince: Span?)] = [:]
    /// What the daemons have noted beside the store.
    var notes = LastingNotes()
    var isStateFolderFull = false
    /// How far the wall clock was set off, in seconds.
    private(set) var wallOffset: Int64 = 0
    private(set) var wallSteppedAt: Span?
    /// Since when nothing is wrong; nil while something is.
    var wellSince: Span?
    /// What is to happen at the next passage of a port.
    private var armed: [(passages: Int, action: @LoopActor () -> Void)] = []

    /// - Parameter keepsTrace: whether somebody will read what happened.
    init(seed: UInt64, keepsTrace: Bool) {
        var dice = Dice(seed: seed)
        let agenda = Agenda(startingAt: .hours(24), dice: dice.fork())
        self.agenda = agenda
        trace = Trace(agenda, keepsLines: keepsTrace)
        let book = book
        providers = (0...dice.below(3)).map {
            Provider(host: "idp\($0).example", agenda: agenda, book: book, dice: dice.fork())
        }
        var list: [Account] = []
        for number in 0..<(3 + dice.below(3)) {
            list.append(Account(name: "account\(number)", provider: dice.pick(providers)))
        }
        accountList = list
        accounts = Dictionary(uniqueKeysWithValues: list.map { ($0.name, $0) })
        lots = (dice.fork(), dice.fork())
        self.dice = dice
        for provider in providers {
            provider.onRefusal = { [unowned self, unowned provider] in rules.refusing($0, by: provider) }
        }
    }

    // MARK: Time

    var moment: Moment {
        Moment(
            wall: Machine.epoch + agenda.now / .seconds(1) + wallOffset,
            boot: BootInstant(microseconds: UInt64(agenda.now))
        )
    }

    /// Somebody sets the wall clock; the daemon hears of it.
    func stepWall(by seconds: Int64) {
        wallOffset += seconds
        wallSteppedAt = agenda.now
        daemon?.broker?.timeJumped()
    }

    // MARK: The daemon

    func start() {
        guard daemon == nil else { return }
        daemonCount += 1
        trace.note("the daemon starts", "\(daemonCount)")
        let daemon = Daemon(self, number: daemonCount)
        self.daemon = daemon
        for item in disk.items.values where item.kind == .grant {
            if let name = item.refreshToken { book.refreshToken(name)?.wasStored = true }
        }
        daemon.broker?.start()
    }

    /// It is killed, or the machine loses power.
    func crash(losesPower: Bool) {
        guard let daemon else { return }
        trace.note(losesPower ? "the power fails" : "the daemon is killed", "\(daemon.number)")
        bury(daemon)
        if losesPower { disk.losePower() }
    }

    private func bury(_ daemon: Daemon) {
        self.daemon = nil
        deaths[daemon.number] = (agenda.now, wellSince)
        daemon.die()
    }

    /// It is asked to end, as systemd asks it.
    func stop() {
        guard let daemon else { return }
        trace.note("the daemon is asked to end", "\(daemon.number)")
        daemon.broker?.stop()
        endOnceIdle(daemon, by: agenda.now + .seconds(40))
    }

    private func endOnceIdle(_ daemon: Daemon, by end: Span) {
        guard !daemon.isOver else { return }
        guard daemon.broker?.isRefreshing == true, agenda.now < end else {
            Task.onLoop { [self] in
                await daemon.broker?.keepTokens(within: .seconds(5))
                guard !daemon.isOver else { return }
                trace.note("the daemon ends", "\(daemon.number)")
                bury(daemon)
            }
            return
        }
        agenda.after(.milliseconds(100)) { [self] in endOnceIdle(daemon, by: end) }
    }

    /// The run is over.
    func end() {
        if let daemon { bury(daemon) }
        EventLoop.main.runAllJobs()
    }

    // MARK: Settings

    /// Read once: it takes as long as some simulated hours.
    private static let noAccounts = Configuration(
        files: .init(folder: "/home/u/.config/tokend"),
        digestOfFile: { _ in nil }
    )

    var configuration: Configuration {
        var configuration = Self.noAccounts
        for account in accountList {
            switch account.file {
            case .gone: break
            case .broken:
                let fault = ConfigurationFault(
                    file: "/home/u/\(account.name).json5",
                    message: "there is a comma missing"
                )
                configuration.accounts[account.name] = .misconfigured([fault])
            case .asItWas, .elsewhere:
                configuration.accounts[account.name] = account.settings.map { .usable($0) }
            }
        }
        return configuration
    }

    // MARK: Moments that single times do not hit

    /// Has something happen at one of the next moments at which a request, an answer or a write arrives.
    func arm(_ passages: Int, _ action: @escaping @LoopActor () -> Void) {
        armed.append((passages, action))
    }

    /// What waits for such a moment does not come any more.
    func disarm() { armed = [] }

    /// A request, an answer or a write has arrived.
    func passedPort() {
        guard !armed.isEmpty else { return }
        for index in armed.indices { armed[index].passages -= 1 }
        let due = armed.filter { $0.passages <= 0 }
        armed.removeAll { $0.passages <= 0 }
        for one in due { agenda.at(agenda.now, one.action) }
    }

    /// Lets the next thing happen, and all that follows at once.
    ///
    /// - Returns: false where nothing is left until `end`.
    func step(until end: Span) -> Bool {
        guard agenda.step(until: end) else { return false }
        EventLoop.main.runAllJobs()
        rules.afterStep()
        return true
    }
}

/// What the simulated machine has of its own.
enum Machine {
    /// The wall clock where the boot-time clock is 0: 2026-05-05T05:20:00Z.
    static let epoch: Int64 = 1_777_958_400
}

extension World.Account {
    /// What its file says.
    var settings: AccountConfiguration? {
        do {
            let issuer = provider.isOpenID ? try Issuer(provider.origin) : nil
            var account = AccountConfiguration(
                name: name,
                issuer: issuer,
                clientID: file == .elsewhere ? "other" : "app"
            )
            if issuer == nil {
                account.endpoints.authorization = try WebURL(provider.origin + "/authorize")
                account.endpoints.token = try WebURL(provider.origin + "/token")
                account.endpoints.revocation = try WebURL(provider.origin + "/revoke")
            }
            account.scopes = provider.isOpenID ? ["openid", "mail", "files"] : ["mail", "files"]
            return account
        } catch {
            return nil
        }
    }
}

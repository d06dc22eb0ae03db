// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc
import Keyring
import Systemd
import TokendProtocol

/// The composed daemon: one function per part, in the order of the start; the stop is the reverse.
@LoopActor final class Daemon {
    /// Received through the loop; blocked before the first thread starts.
    nonisolated static let signals = [SIGTERM, SIGINT, SIGHUP]

    private let loop = EventLoop.main
    private let socket: MainSocket
    private let log: JournalLog
    private let store: ChosenStore
    private let broker: Broker
    private let router: RequestRouter
    private let server: SocketServer
    private let narrowSockets: NarrowSockets
    private let reminders: LoginReminders
    private let transport: CurlHTTPTransport
    private let folders: ConfigurationFolders
    private let reader: ConfigurationReader
    private let environment: [String: String]
    private var sources: [EventSource] = []
    private var watch: ConfigurationWatch?
    private var storeWatch: StoreWatch?
    private var machine: MachineWatch?
    private var shutdown: Shutdown?
    private var status = ServiceStatus()
    private var statusTelling: EventSource?

    /// Runs until a signal ends it.
    ///
    /// - Returns: the process's exit code.
    /// - Throws: why it does not start.
    nonisolated static func run(_ options: CommandLineOptions, _ environment: [String: String]) throws(StartFailure)
        -> Int32
    {
        let path = try MainSocket.path(options, environment)
        let handed = try MainSocket.activated(path: path)
        let socket = if let handed { handed } else { try MainSocket.make(path: path) }
        let outcome: Result<Int32, StartFailure>
        do throws(SystemdError) {
            try EventLoop.main.adoptCurrentThread()
            let daemon = LoopActor.assumeIsolated { started(options, environment, socket) }
            switch daemon {
            case .failure(let failure): outcome = .failure(failure)
            case .success(let daemon):
                outcome = .success(try EventLoop.main.run())
                withExtendedLifetime(daemon) {}
            }
        } catch {
            throw StartFailure(code: 71, message: error.message)
        }
        return try outcome.get()
    }

    /// A daemon that serves; if it cannot start, it leaves no socket behind.
    private static func started(
        _ options: CommandLineOptions,
        _ environment: [String: String],
        _ socket: MainSocket
    ) -> Result<Daemon, StartFailure> {
        do throws(StartFailure) {
            let daemon = try Daemon(options, environment, socket)
            try daemon.start()
            return .success(daemon)
        } catch {
            socket.remove()
            return .failure(error)
        }
    }

    private init(
        _ options: CommandLineOptions,
        _ environment: [String: String],
        _ socket: MainSocket
    ) throws(StartFailure) {
        self.socket = socket
        self.environment = environment
        folders = ConfigurationFolders(option: options.configurationFolder, environment: environment)
        let clock = LoopClock(loop: loop)
        log = JournalLog(journal: Journal(environment: environment), level: options.logLevel ?? .info, clock: clock)
        transport = CurlHTTPTransport(loop: loop, userAgent: "tokend/\(Version.number)")
        let reader = ConfigurationReader(folders)
        self.reader = reader
        let read: @LoopActor (DaemonConfiguration) -> Configuration = { previous in
            var configuration = Configuration(
                files: reader.read(),
                previous: previous,
                digestOfFile: reader.digest(ofFile:)
            )
            if let level = options.logLevel { configuration.daemon.logLevel = level }
            if let store = options.store { configuration.daemon.store = store }
            return configuration
        }
        let initial = read(DaemonConfiguration())
        log.level = initial.daemon.logLevel
        let state = StateFolder(environment: environment, loop: loop, log: log)
        let store = ChosenStore(environment: environment, state: state)
        if initial.daemonFaults.isEmpty { try store.choose(initial.daemon) }
        self.store = store
        let notifier = DesktopNotifier(loop: loop, log: log)
        var ports = BrokerPorts(
            clock: clock,
            entropy: KernelEntropy(),
            transport: transport,
            store: store,
            redirects: LoopbackRedirects(loop: loop, log: log),
            browser: DesktopBrowser(loop: loop, environment: environment),
            handlers: DesktopHandlers(environment: environment),
            state: state,
            files: PersonalAccountFiles(folders: folders),
            log: log
        )
        ports.softwareVersion = Version.number
        ports.notifier = notifier
        broker = Broker(ports: ports) { previous in
            var configuration = read(previous)
            store.settle(&configuration)
            return configuration
        }
        var identity = RequestRouter.Identity(
            version: Version.number,
            pid: Int64(getpid()),
            startedAt: clock.now.wall,
            socket: socket.path,
            log: log.place
        )
        identity.logFile = log.file
        router = RequestRouter(broker: broker, identity: identity)
        do {
            server = try SocketServer(loop: loop, clock: clock, listener: socket.descriptor, handler: router)
        } catch {
            throw StartFailure(code: 71, message: error.message)
        }
        reminders = LoginReminders(broker: broker)
        let (broker, reminders) = (broker, reminders)
        notifier.isEnabled = { [weak broker] in broker?.configuration.daemon.notifies ?? false }
        log.onEvent = { [weak reminders] event in reminders?.note(event) }
        narrowSockets = NarrowSockets(loop: loop, router: router, clock: clock, environment: environment)
        router.server = server
        let sockets = narrowSockets
        log.publish = { [weak server, weak sockets] event in
            let line = event.line()
            server?.publish(event, line)
            sockets?.publish(event, line)
        }
    }

    // MARK: Start

    private func start() throws(StartFailure) {
        do {
            _ = try loop.enableWatchdog()
            try receiveSignals()
        } catch {
            throw StartFailure(code: 71, message: error.message)
        }
        watchConfiguration()
        watchMachine()
        watchStore()
        store.onChosen = { [unowned self] in watchStore() }
        broker.onChange = { [unowned self] in changed() }
        broker.onReload = { [unowned self] in reloaded() }
        narrowSockets.adopt(from: broker)
        let accounts = LogLine.count(broker.accountNames.count, "account")
        log.write(LogLine(.info, "tokend \(Version.number) listens at \(socket.path); \(accounts)"))
        for fault in broker.configuration.faults { log.write(LogLine(.warning, fault.description)) }
        if let line = LogLine(sessionBusIn: environment) { log.write(line) }
        tell(.ready, .status(status.text(of: broker)))
        broker.start()
    }

    private func receiveSignals() throws(SystemdError) {
        for signal in [SIGTERM, SIGINT] {
            sources.append(try loop.addSignal(signal) { [unowned self] in stop() })
        }
        sources.append(
            try loop.addSignal(SIGHUP) { [unowned self] in
                tell(.reloading)
                broker.reload()
                tell(.ready, .status(status.text(of: broker)))
            }
        )
    }

    private func watchConfiguration() {
        watch = ConfigurationWatch(loop: loop, folders: folders.watched) { [log] in
            log.write(LogLine(.warning, $0))
        } onChange: { [unowned self] in
            // The daemon's own changes are already in force.
            if reader.hasChanged(since: broker.configuration.files) { broker.reload() }
            if reader.isIncomplete { watch?.lookAgain() }
        }
        if reader.isIncomplete { watch?.lookAgain() }
    }

    /// After any reload: by a signal, a changed file, or a client.
    private func reloaded() {
        transport.forgetAll()
        log.level = broker.configuration.daemon.logLevel
        narrowSockets.adopt(from: broker)
    }

    private func watchMachine() {
        machine = MachineWatch(loop: loop, log: log) { [unowned self] change in
            switch change {
            case .clockStepped:
                broker.timeJumped()
            case .awoke:
                transport.forgetAll()
                broker.timeJumped()
            case .networkCame:
                transport.forgetAll()
                broker.networkAppeared()
            }
            log.write(LogLine(.debug, change.rawValue))
        }
    }

    private func watchStore() {
        guard broker.ports.store.kind == "secret-service" else { return }
        storeWatch = StoreWatch(loop: loop, log: log) { [unowned self] in broker.storeSignalled() }
    }

    // MARK: While it runs

    /// A reload changes every account, and the status line counts them all: it is sent once per round.
    private func changed() {
        guard shutdown == nil else { return }
        if reader.isIncomplete { watch?.lookAgain() }
        if let statusTelling {
            statusTelling.rearm()
        } else {
            statusTelling = loop.addDefer { [unowned self] in tellStatus() }
        }
    }

    private func tellStatus() {
        guard shutdown == nil, status.update(for: broker) else { return }
        tell(.status(status.text))
    }

    private func tell(_ notices: ServiceManager.Notice...) {
        do throws(SystemdError) {
            try ServiceManager.notify(notices)
        } catch {
            log.write(LogLine(.debug, "\(error.message), ignoring"))
        }
    }

    // MARK: Stop

    private func stop() {
        guard shutdown == nil else { return }
        tell(.stopping, .status("stopping"))
        router.isStopping = true
        server.stopAccepting()
        narrowSockets.stopAccepting()
        reminders.withdrawAll()
        broker.stop()
        shutdown = Shutdown(
            loop: loop,
            broker: broker,
            server: server,
            narrowSockets: narrowSockets,
            answerPatience: .seconds(5),
            refreshPatience: .seconds(min(broker.configuration.daemon.wire.timeout + 10, 45)),
            keepingPatience: .seconds(10)
        ) { [unowned self] in
            socket.remove()
            server.closeAll()
            narrowSockets.closeAll()
            loop.exit(code: 0)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Synchronization
import TestSupport
import Testing

/// One series of kills: the load, the lives of the daemon, and the judgement.
final class TortureRun: Sendable {
    static let accounts = ["work", "home", "club"]
    static let arguments = ["--log-level", "debug"]
    private static let clientsPerAccount = 3

    private struct State {
        var moments: SeededMoments
        /// Counts the daemons, the next one from the moment before it starts.
        var life = 0
        /// For each refresh token, the lives in which it came to the provider.
        var sent: [String: [Int]] = [:]
    }

    private let stand: Stand
    private let clients: [BusyClient]
    private let state: Mutex<State>
    private let began = ContinuousClock.now

    init(_ stand: Stand, seed: UInt64) {
        self.stand = stand
        state = Mutex(State(moments: SeededMoments(seed: seed)))
        clients = Self.accounts.flatMap { account in
            (0..<Self.clientsPerAccount).map { _ in
                BusyClient(path: stand.world.socketPath, account: account, fresh: true)
            }
        }
    }

    /// Signs in everywhere, slows the provider's answers down so that kills find something to spoil, and kills the
    /// stand's own daemon.
    func prepare() async throws {
        for account in Self.accounts { try await stand.signIn(account) }
        stand.provider.scriptAlways(.token, .editing { _ in usleep(.random(in: 0...60_000)) })
        stand.provider.onEvent { [weak self] event in
            guard event.endpoint == .token, event.phase == .arrived,
                let token = event.parameters["refresh_token"]
            else { return }
            self?.state.withLock { $0.sent[token, default: []].append($0.life) }
        }
        try await stand.daemon.kill()
    }

    /// Starts and kills so many daemons under load.
    func kill(_ count: Int) async throws {
        let tasks = clients.map { client in Task { try await client.run() } }
        for _ in 0..<count {
            let (isEarly, wait) = state.withLock { state in
                state.life += 1
                // One in eight does not live to see its start's end.
                let isEarly = UInt8.random(in: 0..<8, using: &state.moments) == 0
                return (isEarly, Int.random(in: 0..<(isEarly ? 150 : 600), using: &state.moments))
            }
            let daemon = try DaemonProcess(stand.world, arguments: Self.arguments)
            if !isEarly { try await daemon.awaitReadiness() }
            try await Task.sleep(for: .milliseconds(wait))
            try await daemon.kill()
            // On a busy machine the provider hears of a request when its daemon is dead: it belongs to that life.
            try await stand.provider.drain()
            expectNoSecret(in: Array(daemon.log.utf8), "the log")
        }
        for client in clients { client.stop() }
        state.withLock { $0.life += 1 }
        let last = try await DaemonProcess.start(stand.world, arguments: Self.arguments)
        for task in tasks { try await task.value }
        let client = try last.connect()
        for account in Self.accounts {
            let token = try await client.result("token.get", ["account": .string(account), "fresh": true])
            #expect(token["refreshed"] == true, "\(account)")
            #expect(stand.provider.accepts(accessToken: try #require(token["access_token"]?.string)), "\(account)")
        }
        try await last.stop()
    }

    /// Holds what happened against the rules; the provider's breaches are for the stand.
    func judge() throws {
        let faults = clients.flatMap(\.faults)
        #expect(faults.isEmpty, "\(faults.prefix(5))")
        let sent = state.withLock { $0.sent }
        // A token is sent again in a later life only, once in each: the mark's one try.
        for lives in sent.values {
            let span = (lives.max() ?? 0) - (lives.min() ?? 0)
            #expect(lives.count <= 1 + span, "a refresh token was sent in the lives \(lives)")
        }
        for (path, bytes) in try stand.files() { expectNoSecret(in: bytes, path) }
        let again = sent.values.count { $0.count > 1 }
        let seconds = began.duration(to: .now).components.seconds
        print("torture: \(sent.count) refresh tokens used, \(again) of them again after a kill, in \(seconds) s")
        #expect(sent.count > Self.accounts.count, "there was a load")
    }

    /// The provider's codes and tokens have a form of their own: a word, a hyphen and hexadecimal digits; a JWT is one.
    private func expectNoSecret(in bytes: [UInt8], _ place: String) {
        let text = String(decoding: bytes, as: UTF8.self)
        for part in text.split(separator: "-").dropFirst() where part.utf8.count >= 16 {
            let digits = part.utf8.prefix { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
            let word = text[..<part.startIndex].dropLast().suffix(4)
            let isToken = ["rt", "at", "code"].contains { word.hasSuffix($0) }
            #expect(!isToken || digits.count < 16, "\(word)-… in \(place)")
        }
        #expect(!text.contains("eyJ"), "a JWT in \(place)")
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Systemd
import TokendProtocol

@testable import Broker

/// Entropy that a test chooses: every byte is the same, and every text made of it differs by a counter.
@LoopActor final class FixedEntropy: Entropy {
    /// What every random number (0 ..< 1) comes out as.
    var random = 0.5
    /// What the next rolls come out as, before that.
    var rolls: [Double] = []
    private var count: UInt8 = 0

    func bytes(_ count: Int) -> [UInt8] {
        if count == 4 {
            let value = UInt32((rolls.isEmpty ? random : rolls.removeFirst()) * 4_294_967_295)
            return (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
        }
        self.count &+= 1
        return [UInt8](repeating: self.count, count: count)
    }
}

/// Keeps what was worth knowing.
@LoopActor final class RecordingLog: EventLog {
    private(set) var events: [BrokerEvent] = []

    func record(_ event: BrokerEvent) {
        events.append(event)
    }

    /// The errors of refreshes that failed.
    var refreshFailures: [String] {
        events.compactMap { event in
            guard case .refreshFailed(_, let error) = event else { return nil }
            return error.kind.rawValue
        }
    }

    /// Why ID tokens of renewals were not kept, as far as it was noted.
    var idTokenNotes: [String] {
        events.compactMap { event in
            guard case .idTokenDropped(_, let reason) = event else { return nil }
            return reason
        }
    }

    /// The reasons for which grants ended.
    var endings: [EndReason] {
        events.compactMap { event in
            guard case .grantEnded(_, let reason, _) = event else { return nil }
            return reason
        }
    }
}

/// What outlives a restart of the broker.
@LoopActor final class MemoryState: LastingState {
    private(set) var notes = LastingNotes()
    /// What is on the disk.
    private(set) var kept = LastingNotes()
    private(set) var writeCount = 0
    /// Why nothing gets there.
    var fault: LastingFault?

    func change(_ edit: (inout LastingNotes) -> Void) -> LastingFault? {
        edit(&notes)
        guard notes != kept else { return nil }
        writeCount += 1
        if fault == nil { kept = notes }
        return fault
    }

    /// A new start knows what is on the disk.
    func restart() {
        notes = kept
    }
}

/// Account files in memory.
@LoopActor final class MemoryAccountFiles: AccountFiles {
    private(set) var contents: [String: [UInt8]] = [:]
    /// Thrown by the next writes and removals.
    var failure: AccountFileError?

    func path(of account: String) -> String { "/memory/accounts/\(account).json5" }

    func write(_ content: [UInt8], account: String) throws(AccountFileError) {
        if let failure { throw failure }
        contents[account] = content
    }

    func remove(account: String) throws(AccountFileError) {
        if let failure { throw failure }
        contents[account] = nil
    }

    func digest(ofFile path: String) -> String? { nil }
}

/// Listeners that were asked for; a test hands requests in.
@LoopActor final class ScriptedRedirects: RedirectListening {
    @LoopActor final class Listener: RedirectListener {
        let host: RedirectURI.LoopbackHost
        let port: Int
        private(set) var isOpen = true
        let addresses: Set<RedirectURI.LoopbackHost>
        private let handler: RedirectHandler

        init(
            host: RedirectURI.LoopbackHost,
            port: Int,
            addresses: Set<RedirectURI.LoopbackHost>,
            handler: @escaping RedirectHandler
        ) {
            self.addresses = addresses
            self.host = host
            self.port = port
            self.handler = handler
        }

        func close() {
            isOpen = false
        }

        /// A browser's request; its answer may take a while.
        func receive(_ request: RedirectRequest) async -> RedirectAnswer {
            await withUnsafeContinuation { continuation in
                let refusal = handler(request) { continuation.resume(returning: $0) }
                if let refusal { continuation.resume(returning: .refused(status: refusal)) }
            }
        }
    }

    private(set) var opened: [Listener] = []
    /// What opening is refused with.
    var fault: RedirectFault?
    /// What opening an address of one kind is refused with.
    var refused: [RedirectURI.LoopbackHost: RedirectFault] = [:]
    /// Ports that another program holds.
    var taken: Set<Int> = []
    /// Addresses that this machine does not have.
    var missing: Set<RedirectURI.LoopbackHost> = []

    func open(
        _ host: RedirectURI.LoopbackHost,
        port: Int?,
        handler: @escaping RedirectHandler
    ) throws(RedirectFault) -> any RedirectListener {
        if let fault = fault ?? refused[host] { throw fault }
        if let port, taken.contains(port) { throw RedirectFault(message: "port \(port) is taken") }
        let addresses = host.addresses.subtracting(missing)
        guard !addresses.isEmpty else { throw RedirectFault(message: "no such address", isAddressMissing: true) }
        let port = port ?? 40_000 + opened.count
        // As the kernel has it: one listener an address and port.
        if opened.contains(where: { $0.isOpen && $0.port == port && !$0.addresses.isDisjoint(with: addresses) }) {
            throw RedirectFault(message: "port \(port) is taken by another sign-in of tokend")
        }
        let listener = Listener(host: host, port: port, addresses: addresses, handler: handler)
        opened.append(listener)
        return listener
    }
}

/// Keeps the URLs that a browser was to open.
@LoopActor final class RecordingBrowser: BrowserOpener {
    private(set) var opened: [WebURL] = []
    var fault: BrowserError?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func open(_ url: WebURL, command: [String]?) async throws(BrowserError) {
        if let fault { throw fault }
        opened.append(url)
        let waiting = self.waiting
        self.waiting = []
        for continuation in waiting { continuation.resume() }
    }

    /// Returns once that many URLs were opened: the daemon answers its client without waiting for that.
    func opening(_ count: Int) async {
        while opened.count < count { await withCheckedContinuation { waiting.append($0) } }
    }
}

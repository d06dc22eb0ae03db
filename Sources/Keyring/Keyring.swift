// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Linux
package import Systemd

/// The user's secret store: the Secret Service (gnome-keyring, KeePassXC, KWallet, …) through libsecret.
///
/// All of libsecret runs on a separate thread; callers wait for its answer or for the deadline, and neither the loop
/// nor the process's end ever waits for it. Only unlock(matching:timeout:) can raise a prompt.
///
/// An item is reported as missing only by an unlocked collection of a trusted provider. Everything else is an error:
/// locked; no provider, or another program in place of the one that had the items (D-Bus starts one when the name is
/// free); no answer in time.
@LoopActor package final class Keyring {
    /// The value of `xdg:schema` of stored items. Look-ups do not match it.
    package nonisolated let schema: String

    private let worker: KeyringWorker
    private let memory: ProviderMemory
    private let deadline: Duration

    /// Touches nothing yet.
    ///
    /// - Parameters:
    ///   - holder: the program that held the items when an earlier process last knew. Another one is believed only where it
    ///     has some.
    ///   - common: what all items have that this process and earlier ones stored.
    ///   - deadline: how long a request takes at most, its time in the queue included.
    ///   - busAddress: the session bus; asked on the worker's thread at each connection.
    ///   - walletAsks: whether KDE's wallet asks about each program that uses it; asked on the worker's thread.
    package nonisolated init(
        schema: String = "org.tokend.Grant",
        holder: String? = nil,
        common: [String: String] = [:],
        deadline: Duration = .seconds(10),
        busAddress: @escaping @Sendable () -> String? = {
            SessionBusAddress.resolve(environment: ProcessEnvironment.variables)
        },
        walletAsks: @escaping @Sendable () -> Bool = {
            KWalletSettings.asksForEachProgram(environment: ProcessEnvironment.variables)
        }
    ) {
        self.schema = schema
        self.deadline = deadline
        let memory = ProviderMemory(holder: holder)
        self.memory = memory
        worker = KeyringWorker { desk in
            StoreSession(
                desk: desk,
                schema: schema,
                memory: memory,
                common: common,
                walletAsks: walletAsks,
                busAddress: busAddress
            )
        }
    }

    /// The program that holds the items, by its kernel name; nil if unknown.
    package var holder: String? { memory.holder }

    /// The provider that answered last, whatever the answer was; nil before the first.
    package var lastProvider: KeyringProvider? { memory.last }

    /// All items that have at least these attributes, with secrets; there may be several, left by an older daemon, a
    /// user or another database of the provider.
    ///
    /// - Throws: never an empty list in place of an error: locked and unavailable stores throw.
    package func items(matching attributes: [String: String]) async throws(KeyringError) -> [KeyringItem] {
        try await ask("read from the keyring", within: deadline) { (session, cancellation) throws(KeyringError) in
            try session.items(matching: attributes, cancellation)
        }
    }

    /// Stores an item in the default collection atomically, replacing the one with the same attributes.
    package func store(_ item: KeyringItem) async throws(KeyringError) {
        try await ask("store in the keyring", within: deadline) { (session, cancellation) throws(KeyringError) in
            try session.store(item, cancellation)
        }
    }

    /// Removes all items that have these attributes, and returns their number.
    @discardableResult
    package func remove(matching attributes: [String: String]) async throws(KeyringError) -> Int {
        try await ask("remove from the keyring", within: deadline) { (session, cancellation) throws(KeyringError) in
            try session.remove(matching: attributes, cancellation)
        }
    }

    /// The provider of the store, when it is ready.
    ///
    /// - Throws: why it is not.
    package func provider() async throws(KeyringError) -> KeyringProvider {
        try await ask("ask for the keyring", within: deadline) { (session, cancellation) throws(KeyringError) in
            try session.check(cancellation)
        }
    }

    /// Whether the store can be used now; provider() tells why not.
    package func state() async -> KeyringState {
        do throws(KeyringError) {
            _ = try await provider()
            return .ready
        } catch {
            return error.code == .locked ? .locked : .unavailable
        }
    }

    /// Unlocks the default collection: the only call that can raise a prompt, so for a user's own request alone. It
    /// also starts a missing provider, and accepts one of another program.
    ///
    /// - Parameters:
    ///   - attributes: items that have these are unlocked too, if items have their own locks.
    ///   - timeout: for the user's answer; then the prompt is dismissed.
    package func unlock(
        matching attributes: [String: String] = [:],
        timeout: Duration
    ) async throws(KeyringError) {
        try await ask("unlock the keyring", within: timeout, waitsForPrompts: true) {
            (session, cancellation) throws(KeyringError) in
            try session.unlock(matching: attributes, cancellation)
        }
    }

    private func ask<Value: Sendable>(
        _ task: String,
        within limit: Duration,
        waitsForPrompts: Bool = false,
        _ work: @escaping @Sendable (StoreSession, Cancellation) throws(KeyringError) -> Value
    ) async throws(KeyringError) -> Value {
        var timer: EventSource?
        let result = await withCheckedContinuation { continuation in
            let request = KeyringRequest(waitsForPrompts: waitsForPrompts, answer: continuation, work: work)
            timer = EventLoop.main.addTimer(at: .now.advanced(by: limit), accuracy: .milliseconds(20)) { [weak self] in
                self?.expire(request, task, limit)
            }
            worker.enqueue(request)
        }
        timer?.cancel()
        return try result.get()
    }

    private func expire(_ request: KeyringRequest, _ task: String, _ limit: Duration) {
        let program = memory.last?.name
        request.fail(
            KeyringError(
                code: .timedOut,
                message: "\(program ?? "the keyring") runs and does not answer (cannot \(task) within \(limit))",
                provider: program
            )
        )
        worker.cancel(request)
    }
}

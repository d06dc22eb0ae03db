// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// The store's own prompt: one at a time, whoever asks meanwhile shares its end. After one that was dismissed, or that
/// nobody answered, programs raise none for a while, whatever account it is for; a person's own word always does.
@LoopActor final class StorePrompt {
    /// Who wants the store opened.
    enum Asker {
        /// A person, with `store.unlock`.
        case person
        /// A program that wants a token.
        case program
    }

    /// A store that is not there raises no prompt, and may be there in a moment.
    private static let shortPause: Duration = .seconds(10)
    /// A prompt that was up for longer than this was seen, whatever is said of its end.
    private static let glance: Duration = .seconds(1)
    private let store: ObservedStore
    private let clock: any Clock
    private var pause = PromptPause()
    /// What it came to when the pause began.
    private var refusal: StoreError?
    private var waiters: [CheckedContinuation<Result<Void, StoreError>?, Never>] = []
    private var isUp = false

    init(store: ObservedStore, clock: any Clock) {
        self.store = store
        self.clock = clock
    }

    /// Asks the person to open the store.
    func unlock(timeout: Duration, by asker: Asker) async throws(StoreError) {
        while isUp {
            let shared = await withCheckedContinuation { continuation in
                // Looked at in here: on the way to it the prompt may have ended (`Task.onLoop`).
                if isUp { waiters.append(continuation) } else { continuation.resume(returning: nil) }
            }
            if let shared { return try shared.get() }
        }
        if asker == .program, pause.isOn(at: clock.now.boot), let refusal { throw refusal }
        isUp = true
        let began = clock.now.boot
        let result: Result<Void, StoreError>
        do throws(StoreError) {
            try await store.unlock(passphrase: nil, timeout: timeout)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        isUp = false
        note(result, since: began)
        let shared = waiters
        waiters = []
        for waiter in shared { waiter.resume(returning: result) }
        try result.get()
    }

    private func note(_ result: Result<Void, StoreError>, since began: BootInstant) {
        let now = clock.now.boot
        guard case .failure(var error) = result else { return pause.lift() }
        // A passphrase is asked for by its client: there was no prompt.
        guard error.passphrase == nil else { return }
        let wasSeen = error.code != .unavailable || began.duration(to: now) >= Self.glance
        pause.begin(at: now, length: wasSeen ? PromptPause.length : Self.shortPause)
        if error.code != .unavailable {
            error.message =
                "the secret store was not opened when the person was asked a short while ago; "
                + "open it with: tokenctl unlock"
        }
        refusal = error
    }
}

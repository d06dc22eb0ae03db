// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// The store's own prompt: one at a time; concurrent requests share its result. After a prompt that was dismissed or
/// not answered, programs cannot raise one for a while, for any account; the user always can.
@LoopActor final class StorePrompt {
    /// Who asks to open the store.
    enum Asker {
        /// The user, with `store.unlock`.
        case person
        /// A program that needs a token.
        case program
    }

    /// An unavailable store raises no prompt, and may be back in a moment.
    private static let shortPause: Duration = .seconds(10)
    /// A prompt that was open for longer than this was seen, whatever error it ended with.
    private static let glance: Duration = .seconds(1)
    private let store: ObservedStore
    private let clock: any Clock
    private var pause = PromptPause()
    /// The result with which the pause began.
    private var refusal: StoreError?
    private var waiters: [CheckedContinuation<Result<Void, StoreError>?, Never>] = []
    private var isUp = false

    init(store: ObservedStore, clock: any Clock) {
        self.store = store
        self.clock = clock
    }

    /// Asks the user to open the store.
    func unlock(timeout: Duration, by asker: Asker) async throws(StoreError) {
        while isUp {
            let shared = await withCheckedContinuation { continuation in
                // Checked in here: the prompt may have ended on the way (`Task.onLoop`).
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
        // The client asks for the passphrase: there was no prompt.
        guard error.passphrase == nil else { return }
        let wasSeen = (error.code != .unavailable && error.code != .frozen) || began.duration(to: now) >= Self.glance
        pause.begin(at: now, length: wasSeen ? PromptPause.length : Self.shortPause)
        if error.code != .unavailable, error.code != .frozen {
            error.message =
                "you were asked to open the secret store a short while ago, and did not; "
                + "open it with: tokenctl unlock"
        }
        refusal = error
    }
}

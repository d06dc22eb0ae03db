// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import Systemd
import Testing

@testable import Broker

/// Who waits for a turn gets it, whatever runs between the look at it and the wait for it.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct AsyncMutexTests {
    @LoopActor private final class Ended {
        var count = 0
        private var rounds = 0

        /// Something that the loop's state is touched for after each round, as a flow does between its waits.
        func round() { rounds += 1 }
    }

    @LoopActor @Test func `a turn that is given while another looks for it is not lost (engine rule 1)`() async {
        for rounds in 0..<12 {
            let mutex = AsyncMutex()
            let ended = Ended()
            Task.onLoop {
                ended.round()
                await mutex.withLock {
                    ended.round()
                    for _ in 0..<3 {
                        await Task.yield()
                        ended.round()
                    }
                }
                ended.count += 1
            }
            Task.onLoop {
                for _ in 0..<rounds { await Task.yield() }
                ended.round()
                await mutex.withLock { ended.round() }
                ended.count += 1
            }
            await settle()
            #expect(ended.count == 2, "wanted after \(rounds) rounds")
            #expect(!mutex.isLocked)
        }
    }

    @LoopActor @Test func `a prompt that ends while another joins it leaves nobody waiting (F5)`() async {
        for rounds in 0..<16 {
            let store = MemoryCredentialStore()
            store.held = [.unlock]
            let prompt = StorePrompt(store: ObservedStore(store), clock: HandClock())
            let ended = Ended()
            Task.onLoop {
                try? await prompt.unlock(timeout: .seconds(60), by: .person)
                ended.count += 1
            }
            await settle()
            Task.onLoop {
                for _ in 0..<rounds {
                    await Task.yield()
                    ended.round()
                }
                try? await prompt.unlock(timeout: .seconds(60), by: .person)
                ended.count += 1
            }
            Task.onLoop {
                for _ in 0..<6 { await Task.yield() }
                store.release()
            }
            await settle()
            #expect(ended.count == 2, "joined after \(rounds) rounds")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import Glibc
internal import Synchronization

/// What is known of a child process, shared between its ``ChildProcess`` and the threads that watch it.
final class ChildRecord: Sendable {
    struct State: Sendable {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var open = 2
        var status: ChildProcess.ExitStatus?
        fileprivate var waiters: [UInt64: Waiter] = [:]
        fileprivate var nextWaiter: UInt64 = 0
    }

    fileprivate struct Waiter: Sendable {
        let isSatisfied: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    let state = Mutex(State())

    /// The first value that `condition` gives for a state; nil at the limit, or when the task is cancelled.
    func wait<Value: Sendable>(
        within limit: Duration,
        for condition: @escaping @Sendable (State) -> Value?
    ) async -> Value? {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let timer = Task {
            try? await Task.sleep(for: limit)
            self.release(id)
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if Task.isCancelled || condition(state) != nil { return true }
                    state.waiters[id] = Waiter(isSatisfied: { condition($0) != nil }, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            release(id)
        }
        return state.withLock { condition($0) }
    }

    /// Reads a descriptor to its end and closes it; runs on a thread of its own.
    func collect(from descriptor: Int32, into member: any WritableKeyPath<State, [UInt8]> & Sendable) {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            change { $0[keyPath: member] += buffer[..<count] }
        }
        close(descriptor)
        change { $0.open -= 1 }
    }

    /// Waits for the process and reaps it; runs on a thread of its own.
    ///
    /// The process is first waited for without reaping, so that a signal never goes to another one under its number.
    func reap(_ processID: pid_t) {
        var info = siginfo_t()
        while waitid(P_PID, id_t(processID), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
        change { state in
            var status: Int32 = 0
            waitpid(processID, &status, 0)
            let signal = status & 0x7f
            state.status = signal == 0 ? .code((status >> 8) & 0xff) : .signal(signal)
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let satisfied = state.withLock { state in
            body(&state)
            let satisfied = state.waiters.filter { $0.value.isSatisfied(state) }
            satisfied.keys.forEach { state.waiters[$0] = nil }
            return satisfied.values.map(\.continuation)
        }
        satisfied.forEach { $0.resume() }
    }

    private func release(_ id: UInt64) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume()
    }
}

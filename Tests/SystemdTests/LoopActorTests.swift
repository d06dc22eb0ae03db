// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Systemd
import Testing

@Suite(.onLoop, .timeLimit(.minutes(1)))
struct LoopActorTests {
    @Test func `a task on the loop actor runs on the loop's thread`() async {
        let first = await Task { @LoopActor in
            EventLoop.main.preconditionOnLoop()
            return pthread_self()
        }.value
        let second = await Task { @LoopActor in
            await Task.yield()
            return pthread_self()
        }.value
        #expect(first == second)
        #expect(first != pthread_self())
        #expect(!EventLoop.main.isOnLoop)
    }

    @Test func `a class on the loop writes a timer without ceremony`() async {
        let ticks = await Ticker().ticks(3)
        #expect(ticks == 3)
    }

    @Test func `a synchronous callback on the loop may assume the actor`() async {
        let value = await Task { @LoopActor in
            await withCheckedContinuation { continuation in
                callBack { continuation.resume(returning: LoopActor.assumeIsolated { Ticker().count }) }
            }
        }.value
        #expect(value == 0)
    }

    @Test func `jobs from many threads all run, on the loop`() async {
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    for _ in 0..<2000 { await counter.add() }
                }
            }
        }
        #expect(await counter.value == 32_000)
    }

    @Test func `tasks that are made on the loop run in the order of their making`() async {
        let order = await Task { @LoopActor in
            let log = Log()
            let tasks = (0..<1000).map { number in Task { @LoopActor in log.numbers.append(number) } }
            for task in tasks { await task.value }
            return log.numbers
        }.value
        #expect(order == Array(0..<1000))
    }

    @Test func `an actor may live on a loop of its own`() async throws {
        let loops = AsyncStream<EventLoop>.makeStream()
        async let code = onOwnLoop { loop in
            loops.continuation.yield(loop)
            return try loop.run()
        }
        for await loop in loops.stream {
            let resident = Resident(loop)
            #expect(await resident.isAtHome)
            await resident.end()
            break
        }
        #expect(try await code == 5)
    }

    @Test func `assuming the actor elsewhere is a programmer's error`() async {
        await #expect(processExitsWith: .failure) {
            LoopActor.assumeIsolated { _ = Ticker() }
        }
    }
}

/// Stands for a C library's callback: not isolated, not Sendable.
private nonisolated func callBack(_ body: @Sendable () -> Void) {
    body()
}

private actor Resident {
    private let loop: EventLoop

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    var isAtHome: Bool { loop.isOnLoop }

    func end() {
        loop.exit(code: 5)
    }
}

@LoopActor
private final class Log {
    var numbers: [Int] = []
}

@LoopActor
private final class Counter {
    private(set) var value = 0

    nonisolated init() {}

    func add() {
        EventLoop.main.preconditionOnLoop()
        value += 1
    }
}

@LoopActor
private final class Ticker {
    private(set) var count = 0
    private var timer: EventSource?
    private var finished: CheckedContinuation<Int, Never>?

    nonisolated init() {}

    func ticks(_ wanted: Int) async -> Int {
        await withCheckedContinuation { continuation in
            finished = continuation
            timer = EventLoop.main.addTimer(at: .now, accuracy: .milliseconds(1)) { self.tick(of: wanted) }
        }
    }

    private func tick(of wanted: Int) {
        count += 1
        guard count == wanted else {
            timer?.rearm(at: .now.advanced(by: .milliseconds(1)))
            return
        }
        timer?.cancel()
        timer = nil
        finished?.resume(returning: count)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Synchronization
import Systemd
import Testing

/// What a loop on its own thread does with its sources.
@Suite(.timeLimit(.minutes(1)))
struct EventLoopTests {
    @Test func `each timer fires once, and not before its deadline`() async throws {
        let fired = try await onOwnLoop { loop in
            var fired: [(Int, Bool)] = []
            let start = BootInstant.now
            let timers = [30, 10, 20].map { delay in
                let deadline = start.advanced(by: .milliseconds(delay))
                return loop.addTimer(at: deadline, accuracy: .microseconds(1)) {
                    fired.append((delay, BootInstant.now >= deadline))
                    if fired.count == 3 { loop.exit() }
                }
            }
            _ = try withExtendedLifetime(timers) { try loop.run() }
            return fired
        }
        // A thread that was held up finds several overdue, in no given order.
        #expect(fired.map(\.0).sorted() == [10, 20, 30])
        #expect(fired.map(\.1) == [true, true, true])
    }

    @Test func `a deadline that has passed fires in the next round, and a disarmed one never`() async throws {
        let fired = try await onOwnLoop { loop in
            var fired: [String] = []
            let never = loop.addTimer(at: .now, accuracy: .zero) { fired.append("disarmed") }
            never.disarm()
            let isArmed = never.isArmed
            #expect(!isArmed)
            let late = loop.addTimer(at: BootInstant(microseconds: 1), accuracy: .zero) { fired.append("late") }
            let end = loop.addTimer(at: .now.advanced(by: .milliseconds(5)), accuracy: .zero) { loop.exit() }
            _ = try withExtendedLifetime((never, late, end)) { try loop.run() }
            return fired
        }
        #expect(fired == ["late"])
    }

    @Test func `sources that are ready together run by priority, and then the post and exit sources`() async throws {
        let ran = try await onOwnLoop { loop in
            var ran: [String] = []
            let sources = [
                loop.addExit { ran.append("exit") },
                loop.addDefer(priority: .idle) {
                    ran.append("idle")
                    loop.exit(code: 7)
                },
                loop.addDefer { ran.append("normal") },
                loop.addDefer(priority: .important) { ran.append("important") },
                loop.addPost { ran.append("post") },
            ]
            let code = try withExtendedLifetime(sources) { try loop.run() }
            return ran.filter { $0 != "post" } + ["\(code)", "\(ran.contains("post"))"]
        }
        #expect(ran == ["important", "normal", "idle", "exit", "7", "true"])
    }

    @Test func `a descriptor is read, and its hang-up told`() async throws {
        let seen = try await onOwnLoop { loop in
            let pipe = try Pipe()
            var seen: [DescriptorEvents] = []
            let source = try loop.addDescriptor(pipe.readEnd, events: .readable) { events in
                seen.append(events)
                guard events.contains(.readable) else { return loop.exit() }
                pipe.readByte()
                pipe.closeWriteEnd()
            }
            #expect(source.events == .readable)
            pipe.writeByte()
            _ = try withExtendedLifetime(source) { try loop.run() }
            source.cancel()
            return seen
        }
        #expect(seen == [.readable, .hangUp])
    }

    @Test func `what a descriptor is watched for can change`() async throws {
        let seen = try await onOwnLoop { loop in
            let pipe = try Pipe()
            var seen: DescriptorEvents = []
            let source = try loop.addDescriptor(pipe.writeEnd, events: []) { events in
                seen.formUnion(events)
                loop.exit()
            }
            let later = loop.addTimer(at: .now.advanced(by: .milliseconds(2)), accuracy: .zero) {
                #expect(seen == [])
                source.events = .writable
            }
            _ = try withExtendedLifetime(later) { try loop.run() }
            return seen
        }
        #expect(seen == .writable)
    }

    @Test func `a regular file cannot be watched, and says so`() async throws {
        let code = try await onOwnLoop { loop in
            let file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
            defer { close(file) }
            do throws(SystemdError) {
                _ = try loop.addDescriptor(file, events: .readable) { _ in }
                return Int32(0)
            } catch {
                return error.code
            }
        }
        #expect(code == EPERM)
    }

    @Test func `nothing wakes the loop at rest`() async throws {
        let switches = try await onOwnLoop { loop in
            let end = loop.addTimer(at: .now.advanced(by: .milliseconds(300)), accuracy: .zero) { loop.exit() }
            let before = voluntarySwitches()
            _ = try withExtendedLifetime(end) { try loop.run() }
            return voluntarySwitches() - before
        }
        #expect(switches <= 2)
    }

    @Test func `a loop that ended takes no more sources, and does not trap`() async throws {
        try await onOwnLoop { loop in
            let end = loop.addDefer { loop.exit() }
            _ = try withExtendedLifetime(end) { try loop.run() }
            let late = loop.addTimer(at: .now, accuracy: .zero) {}
            late.rearm(at: .now)
            end.rearm()
            #expect(!late.isArmed)
        }
    }

    @Test func `a loop of another thread cannot be run`() async throws {
        let code = try await onOwnLoop { loop in
            let answer = Mutex<Int32?>(nil)
            var thread = pthread_t()
            let body: @Sendable () -> Void = {
                do throws(SystemdError) { _ = try loop.run() } catch { answer.withLock { $0 = error.code } }
            }
            thread = LoopThread.spawn(joinable: body)
            pthread_join(thread, nil)
            return answer.withLock { $0 }
        }
        #expect(code == EBUSY)
    }
}

/// How often the current thread went to sleep.
private func voluntarySwitches() -> Int {
    var usage = rusage()
    // RUSAGE_THREAD, which Glibc hides behind _GNU_SOURCE.
    getrusage(__rusage_who_t(1), &usage)
    return usage.ru_nvcsw
}

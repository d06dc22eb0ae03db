// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Testing

@testable import Systemd

/// Signals, file changes and the wall clock.
@Suite(.timeLimit(.minutes(1)))
struct SystemSourceTests {
    @Test func `a blocked signal arrives as an event`() async throws {
        let code = try await onOwnLoop { loop in
            SignalMask.blockBeforeThreads([SIGUSR1])
            let source = try loop.addSignal(SIGUSR1) { loop.exit(code: 3) }
            // To this thread only: the others of the test process do not block it.
            pthread_kill(pthread_self(), SIGUSR1)
            return try withExtendedLifetime(source) { try loop.run() }
        }
        #expect(code == 3)
    }

    @Test func `a signal that is not blocked is refused`() async throws {
        let code = try await onOwnLoop { loop in
            // Dispatch's threads, from which this one comes, block nearly all signals.
            var none = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, nil)
            do throws(SystemdError) {
                _ = try loop.addSignal(SIGUSR2) {}
                return Int32(0)
            } catch {
                return error.code
            }
        }
        #expect(code == EBUSY)
    }

    @Test func `a file that is put in place, written and removed is told by name`() async throws {
        let events = try await onOwnLoop { loop in
            let folder = try TemporaryFolder()
            var events: [FileEvent] = []
            let source = try loop.addInotify(folder.path) { event in
                events.append(event)
                // The write may be told after what is done next: a child that another test starts has the file for a moment.
                if event.changes.contains(.written) {
                    rename(folder.path + "/draft", folder.path + "/work.json5")
                    unlink(folder.path + "/work.json5")
                }
                if event.changes.contains(.deleted) { loop.exit() }
            }
            folder.write("draft", "{}")
            _ = try withExtendedLifetime(source) { try loop.run() }
            source.cancel()
            return events
        }
        #expect(
            events == [
                FileEvent(changes: .created, name: "draft"),
                FileEvent(changes: .written, name: "draft"),
                FileEvent(changes: .movedFrom, name: "draft"),
                FileEvent(changes: .movedTo, name: "work.json5"),
                FileEvent(changes: .deleted, name: "work.json5"),
            ]
        )
    }

    @Test func `a folder that goes away ends its watch`() async throws {
        let changes = try await onOwnLoop { loop in
            let folder = try TemporaryFolder()
            var changes: FileEvent.Changes = []
            let source = try loop.addInotify(folder.path) { event in
                changes.formUnion(event.changes)
                if event.changes.contains(.ended) { loop.exit() }
            }
            rmdir(folder.path)
            _ = try withExtendedLifetime(source) { try loop.run() }
            return changes
        }
        #expect(changes.contains(.selfDeleted))
    }

    @Test func `a folder that is not there cannot be watched`() async throws {
        let error = try await onOwnLoop { loop in
            do throws(SystemdError) {
                _ = try loop.addInotify("/nonexistent/tokend") { _ in }
                return SystemdError?.none
            } catch {
                return error
            }
        }
        #expect(error?.code == ENOENT)
        #expect(error?.message == "cannot watch /nonexistent/tokend: No such file or directory")
    }

    /// Sets the clock to what it shows, which is a step of nanoseconds; only root may.
    @Test(.enabled(if: geteuid() == 0)) func `a step of the wall clock is told, each time`() async throws {
        let steps = try await onOwnLoop { loop in
            var steps = 0
            let source = try loop.addWallClockChange {
                steps += 1
                steps == 2 ? loop.exit() : setClockToItself()
            }
            setClockToItself()
            let limit = loop.addTimer(at: .now.advanced(by: .seconds(5)), accuracy: .zero) { loop.exit() }
            _ = try withExtendedLifetime((source, limit)) { try loop.run() }
            return steps
        }
        #expect(steps == 2)
    }
}

private func setClockToItself() {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    clock_settime(CLOCK_REALTIME, &time)
}

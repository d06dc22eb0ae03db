// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Systemd
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SignalMaskTests {
    @Test func `a crash signal ends the process, with nothing in between`() async {
        await #expect(processExitsWith: .signal(SIGABRT)) {
            signal(SIGABRT) { _ in exit(0) }
            SignalMask.defaultCrashSignals()
            kill(getpid(), SIGABRT)
            while true { pause() }
        }
    }

    @Test func `a broken pipe is an error, not the end`() async {
        await #expect(processExitsWith: .success) {
            SignalMask.ignoreBrokenPipes()
            let pipe = try Pipe()
            close(pipe.readEnd)
            var byte: UInt8 = 0
            #expect(write(pipe.writeEnd, &byte, 1) == -1 && errno == EPIPE)
        }
    }

    @Test func `what is blocked is blocked in threads that are started later`() async throws {
        let isBlocked = try await onOwnLoop { _ in
            SignalMask.blockBeforeThreads([SIGHUP, SIGTERM])
            let pipe = try Pipe()
            let end = pipe.writeEnd
            let thread = LoopThread.spawn(joinable: {
                var set = sigset_t()
                pthread_sigmask(SIG_BLOCK, nil, &set)
                var byte: UInt8 = sigismember(&set, SIGHUP) == 1 && sigismember(&set, SIGTERM) == 1 ? 1 : 0
                write(end, &byte, 1)
            })
            pthread_join(thread, nil)
            var byte: UInt8 = 0
            read(pipe.readEnd, &byte, 1)
            return byte == 1
        }
        #expect(isBlocked)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TestSupport
import Testing

@testable import Systemd

/// Each in a process of its own, for there is no way back.
@Suite(.timeLimit(.minutes(1))) struct ProcessLimitsTests {
    @Test func `a process with secrets leaves no core, and lets nobody of its user look into it`() async {
        await #expect(processExitsWith: .success) {
            ProcessLimits.apply()
            var core = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
            #expect(core.rlim_cur == 0 && core.rlim_max == 0)
            // Files of a process that is not dumpable are root's.
            var status = stat()
            #expect(stat("/proc/self/mem", &status) == 0 && status.st_uid == 0)
            #expect(umask(0) == 0o077)
        }
    }

    @Test func `a process that must start nothing can start nothing`() async {
        await #expect(processExitsWith: .success) {
            try ProcessLimits.forbidPrograms()
            let refusal = #expect(throws: SystemCallError.self) {
                try startProgram(["true"], keeping: STDOUT_FILENO)
            }
            #expect(refusal?.code == EPERM)
            // What is not the start of a program goes on.
            #expect(getpid() > 0 && access("/", R_OK) == 0)
        }
    }
}

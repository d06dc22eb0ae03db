// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

/// Restrictions that a process sets for itself before it reads any secret.
package enum ProcessLimits {
    /// No core dump, no debugger of the same user, new files for the owner alone, as many descriptors as are allowed.
    package static func apply() {
        tokend_systemd_forbid_dumps()
        umask(0o077)
        var core = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
        var files = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files) == 0 else { return }
        files.rlim_cur = files.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
    }

    /// From here on the process cannot execute another program, start one, or gain privileges (seccomp(2)). Call it
    /// before there is a second thread.
    ///
    /// - Throws: if the kernel has no filters.
    package static func forbidPrograms() throws(SystemdError) {
        try SystemdError.checkErrno(tokend_systemd_forbid_programs(), "forbid the start of programs")
    }
}

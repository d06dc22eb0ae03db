// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Synchronization

/// Core dumps of a process that holds secrets and starts other programs: it leaves none, and they may.
///
/// It stays inspectable for other processes of its user: the daemon must see which program its client is.
package enum CoreDumps {
    /// The limit that this process inherited; nil while it is in force.
    private static let inherited = Mutex<rlimit?>(nil)

    /// From here on a crash leaves none.
    ///
    /// The limit is one byte, since with zero the kernel still pipes dumps into a program (core(5)).
    package static func forbid() {
        inherited.withLock { inherited in
            var limit = rlimit()
            guard inherited == nil, getrlimit(core, &limit) == 0 else { return }
            inherited = limit
            limit.rlim_cur = min(limit.rlim_max, 1)
            setrlimit(core, &limit)
        }
    }

    /// Runs `body`, which starts another program, under the inherited limit.
    package static func permitting<Value>(_ body: () -> Value) -> Value {
        inherited.withLock { inherited in
            guard var own = inherited else { return body() }
            var forbidden = rlimit()
            getrlimit(core, &forbidden)
            setrlimit(core, &own)
            defer { setrlimit(core, &forbidden) }
            return body()
        }
    }

    private static let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
}

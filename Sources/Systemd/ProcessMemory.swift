// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd

/// The process's memory.
package enum ProcessMemory {
    /// Returns freed memory between used blocks to the system (malloc_trim(3)): after a burst of work that is most of
    /// it, and the allocator would keep it for ever. Takes up to some milliseconds.
    package static func giveBack() {
        tokend_systemd_give_back_memory()
    }
}

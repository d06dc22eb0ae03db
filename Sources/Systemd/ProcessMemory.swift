// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd

/// The process's memory as the system sees it.
package enum ProcessMemory {
    /// Gives back what was freed and lies between what is in use (malloc_trim(3)): after much work at once that is most of
    /// it, and the allocator would keep it for ever. Takes up to some milliseconds.
    package static func giveBack() {
        tokend_systemd_give_back_memory()
    }
}

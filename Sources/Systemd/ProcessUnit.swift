// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

/// Which unit a process belongs to.
package enum ProcessUnit {
    /// The unit of the user's service manager, such as `mail.service`; nil where there is none, or it is not told
    /// (sd_pid_get_user_unit(3)).
    package static func user(of pid: Int32) -> String? {
        var unit: UnsafeMutablePointer<CChar>?
        guard sd_pid_get_user_unit(pid, &unit) >= 0, let unit else { return nil }
        defer { free(unit) }
        return String(cString: unit)
    }
}

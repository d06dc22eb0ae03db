// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import HTTPTypes
import Systemd

/// Names of processes in the log. A process is inspected when it is first named and once a minute; in between, only its
/// identity and its program are checked.
final class ProcessNames {
    private struct Known {
        let process: SeenProcess
        let name: String
        let lookAgain: BootInstant
    }

    private static let interval: Duration = .seconds(60)
    private static let limit = 256
    private var known: [Int32: Known] = [:]

    /// The sandbox, if it is in one, the executable and its unit, if it has one.
    ///
    /// - Returns: nil if the process is not visible, for example after its end.
    func name(of pid: Int32, at now: BootInstant) -> String? {
        if let known = known[pid], now < known.lookAgain, known.process.isUnchanged { return known.name }
        guard let process = SeenProcess(pid) else {
            known[pid] = nil
            return nil
        }
        let name = Self.name(of: process)
        if known.count >= Self.limit { known = [:] }
        known[pid] = Known(process: process, name: name, lookAgain: now.advanced(by: Self.interval))
        return name
    }

    private static func name(of process: SeenProcess) -> String {
        let unit = process.unit.map { " \($0)" } ?? ""
        let sandbox =
            switch process.sandbox {
            case .flatpak(let id): "flatpak:\(id) "
            case .snap(let name): "snap:\(name) "
            case nil: ""
            }
        return DisplayText.sanitized(sandbox + ProgramPath(process.path).revealed + unit, limit: 4096)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import HTTPTypes
import Systemd

/// A process as the log tells of it.
struct ProgramName: Equatable {
    /// The sandbox where it is in one, the executable and, where it has one, its unit.
    var text: String
    /// Of `tokenctl`, the program that it gets a token for.
    var caller: Caller?

    struct Caller: Equatable {
        var pid: Int32
        var path: String
    }
}

/// Names of processes in the log. A process is inspected when it is first named and once a minute; in between, only its
/// identity and its program are checked.
final class ProcessNames {
    private struct Known {
        let process: SeenProcess
        let name: ProgramName
        let lookAgain: BootInstant
    }

    private static let interval: Duration = .seconds(60)
    private static let limit = 256
    private var known: [Int32: Known] = [:]

    /// What the log says of a process.
    ///
    /// - Returns: nil if the process is not visible, for example after its end.
    func name(of pid: Int32, at now: BootInstant) -> ProgramName? {
        if let known = known[pid], now < known.lookAgain, known.process.isUnchanged { return known.name }
        guard let process = SeenProcess(pid) else {
            known[pid] = nil
            return nil
        }
        let name = Self.name(of: process, pid)
        if known.count >= Self.limit { known = [:] }
        known[pid] = Known(process: process, name: name, lookAgain: now.advanced(by: Self.interval))
        return name
    }

    private static func name(of process: SeenProcess, _ pid: Int32) -> ProgramName {
        let unit = process.unit.map { " \($0)" } ?? ""
        let sandbox =
            switch process.sandbox {
            case .flatpak(let id): "flatpak:\(id) "
            case .snap(let name): "snap:\(name) "
            case nil: ""
            }
        let text = DisplayText.sanitized(sandbox + ProgramPath(process.path).revealed + unit, limit: 4096)
        guard process.sandbox == nil, SeenProcess.isTokenctl(process.path) else { return ProgramName(text: text) }
        let caller = CallingProgram(of: pid).map { caller in
            ProgramName.Caller(
                pid: caller.pid,
                path: DisplayText.sanitized(ProgramPath(caller.executable.path).revealed, limit: 4096)
            )
        }
        return ProgramName(text: text, caller: caller)
    }
}

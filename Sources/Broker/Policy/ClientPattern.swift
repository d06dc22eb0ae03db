// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
package import Systemd

/// The programs that an entry of `allow`, `administration` or `deny` matches.
package enum ClientPattern: Sendable, Hashable {
    /// `*`
    case any
    /// `exe:/usr/bin/mbsync`: processes outside sandboxes that run exactly this file.
    case executable(String)
    /// `via:exe:/usr/bin/git`: `tokenctl`, outside sandboxes, where a process that runs this very file has called it.
    case caller(String)
    /// `unit:mail.service`: processes outside sandboxes in this systemd unit.
    case unit(String)
    /// `flatpak:org.gnome.Evolution`; nil: `flatpak:*`, any.
    case flatpak(String?)
    /// `snap:thunderbird`; nil: `snap:*`, any.
    case snap(String?)

    /// Reads an entry.
    ///
    /// - Throws: what is wrong with it, to be put after the entry's text.
    package init(_ text: String) throws(PatternFault) {
        if text == "*" {
            self = .any
            return
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[1].isEmpty else { throw PatternFault(Self.forms) }
        let name = parts[1]
        switch parts[0] {
        case "exe":
            try ClientNames.checkPath(name)
            self = .executable(name)
        case "via":
            guard name.hasPrefix("exe:") else { throw PatternFault("must be such as via:exe:/usr/bin/git") }
            let path = String(name.dropFirst("exe:".count))
            try ClientNames.checkPath(path)
            self = .caller(path)
        case "unit":
            try ClientNames.checkUnit(name)
            self = .unit(name)
        case "flatpak":
            if name != "*" { try ClientNames.checkFlatpak(name) }
            self = .flatpak(name == "*" ? nil : name)
        case "snap":
            if name != "*" { try ClientNames.checkSnap(name) }
            self = .snap(name == "*" ? nil : name)
        default: throw PatternFault(Self.forms + ClosedWords.hint(for: parts[0], among: Self.kinds))
        }
    }

    private static let kinds = ["exe", "via", "unit", "flatpak", "snap"]
    private static let forms = "is none of: *, exe:PATH, via:exe:PATH, unit:NAME.service, flatpak:ID, snap:NAME"

    /// The entry's text.
    package var text: String {
        switch self {
        case .any: "*"
        case .executable(let path): "exe:" + path
        case .caller(let path): "via:exe:" + path
        case .unit(let name): "unit:" + name
        case .flatpak(let id): "flatpak:" + (id ?? "*")
        case .snap(let name): "snap:" + (name ?? "*")
        }
    }

    /// How specific it is: of several matching entries, the most specific one applies.
    var rank: Int {
        switch self {
        case .any: 0
        case .flatpak(nil), .snap(nil): 1
        case .unit: 2
        case .executable: 3
        case .caller, .flatpak, .snap: 4
        }
    }

    /// Whether it matches this client. Only `*` matches a client that cannot be identified; a path never matches one in
    /// a sandbox, since a sandbox may run the user's files.
    ///
    /// - Parameter fileAt: the file that a path leads to, as the daemon sees it.
    package func matches(_ peer: PeerIdentity, fileAt: (String) -> FileIdentity?) -> Bool {
        guard case .known(let process) = peer else { return self == .any }
        switch (self, process.sandbox) {
        case (.any, _): return true
        case (.executable(let path), nil): return fileAt(path) == process.executable.file
        case (.caller(let path), nil): return process.caller.map { fileAt(path) == $0.executable.file } ?? false
        case (.unit(let name), nil): return process.unit == name
        case (.flatpak(let id), .flatpak(let own)): return id == nil || id == own
        case (.snap(let name), .snap(let own)): return name == nil || name == own
        default: return false
        }
    }
}

/// What is wrong with an entry.
package struct PatternFault: Error, Sendable {
    package let message: String

    init(_ message: String) {
        self.message = message
    }
}

extension PeerIdentity {
    /// The client as a policy names it, for users and for `data.client`.
    package var clientName: String {
        switch self {
        case .unknown: return "unknown"
        case .known(let process):
            switch process.sandbox {
            case .flatpak(let id): return "flatpak:" + DisplayText.sanitized(id, limit: .max)
            case .snap(let name): return "snap:" + DisplayText.sanitized(name, limit: .max)
            case nil:
                if let path = callerPath { return "via:exe:" + path }
                let path = ProgramPath(process.executable.path)
                return process.executable.isThere && path.isPlain ? "exe:" + path.text : "unknown"
            }
        }
    }

    /// The file of the program that has called `tokenctl`; nil where there is none that can be shown as it is.
    private var callerPath: String? {
        guard case .known(let process) = self, process.sandbox == nil, let caller = process.caller?.executable else {
            return nil
        }
        return caller.isThere && ProgramPath(caller.path).isPlain ? caller.path : nil
    }

    /// The process that the client's name is of: its own, or that of the program that has called `tokenctl`.
    var namedPID: Int32? {
        guard case .known(let process) = self else { return nil }
        return callerPath == nil ? process.pid : process.caller?.pid
    }

    /// The client for the log; one without a policy name is logged by its path.
    var logName: String {
        guard case .known(let process) = self, clientName == "unknown", process.executable.isThere else {
            return clientName
        }
        return "exe:" + ProgramPath(process.executable.path).revealed
    }

    /// The client, in text for a user.
    var phrase: String {
        switch self {
        case .unknown(let pid, let doubt): "a program that cannot be named (process \(pid): \(doubt.rawValue))"
        case .known(let process) where clientName == "unknown" && process.executable.isThere:
            "a program whose path cannot be shown as it is (\(ProgramPath(process.executable.path).revealed))"
        case .known(let process) where clientName == "unknown":
            "a program whose file is not what its name leads to (process \(process.pid))"
        case .known: callerPath.map { "\($0) (which asks through tokenctl)" } ?? clientName
        }
    }
}

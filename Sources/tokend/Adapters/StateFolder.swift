// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import StrictJSON
import Systemd
import TokendProtocol

/// The persistent state, which is not secret: `$XDG_STATE_HOME/tokend/state.json`.
///
/// A change is durable when `change` returns, or the caller gets the fault; the write is then retried until it
/// succeeds. A file that cannot be read or parsed is never overwritten: it is read again before the first change, and
/// renamed then if it is still unusable.
final class StateFolder: LastingState {
    /// Between two attempts to write.
    private static let retryGap: Duration = .seconds(30)

    private(set) var notes = LastingNotes()
    /// Why `notes` differs from the file, or did until the file was renamed; or why it would not survive a restart.
    private(set) var fault: LastingFault?
    private let folder: String
    private let loop: EventLoop
    private let log: any EventLog
    /// Members of a newer daemon; they are kept for its return.
    private var others = StateFile()
    /// The file has content that could not be read.
    private var isUnread = false
    /// The file differs from `notes`.
    private var isOwed = false
    private var retry: EventSource?

    private var path: String { folder + "/state.json" }

    /// `$XDG_STATE_HOME/tokend`, `~/.local/state/tokend`.
    init(environment: [String: String], loop: EventLoop, log: any EventLog) {
        if let base = environment["XDG_STATE_HOME"].nonEmpty, base.hasPrefix("/") {
            folder = base + "/tokend"
        } else {
            folder = (environment["HOME"] ?? "/") + "/.local/state/tokend"
        }
        self.loop = loop
        self.log = log
        read()
        if let fault { log.record(.internalFault(fault.message)) }
    }

    func change(_ edit: (inout LastingNotes) -> Void) -> LastingFault? {
        // After a change in memory, the file's content is obsolete.
        if isUnread, !isOwed { read() }
        let before = notes
        edit(&notes)
        return isUnread || isOwed || notes != before ? write() : nil
    }

    private func read() {
        isUnread = false
        fault = nil
        do throws(FileFault) {
            guard let file = StateFile(try RegularFile.bytes(of: path)) else {
                return leaveUnread("\(path) makes no sense")
            }
            notes = file.notes
            others = file
        } catch {
            if error.code != .missing { leaveUnread(error.message) }
        }
    }

    private func leaveUnread(_ why: String) {
        isUnread = true
        fault = LastingFault(
            message: "\(why): which accounts were paused, what was answered and who was signed out is not known; fix "
                + "it and restart tokend; otherwise tokend puts it aside and starts a new one"
        )
    }

    private func write() -> LastingFault? {
        do throws(PrivateFile.Fault) {
            try PrivateFile.makeFolder(folder)
            let file = PrivateFile(path)
            let isPutAside = isUnread
            if isUnread { try putAside(file) }
            try file.replace(with: others.bytes(saying: notes))
            if !isPutAside, isOwed { fault = nil }
            isOwed = false
            retry = nil
            return nil
        } catch {
            let fault = LastingFault(message: error.message)
            self.fault = fault
            if !isOwed { log.record(.internalFault("\(error.message); it is tried again")) }
            isOwed = true
            writeLater()
            return fault
        }
    }

    private func putAside(_ file: PrivateFile) throws(PrivateFile.Fault) {
        guard let aside = try file.putAside() else { return isUnread = false }
        isUnread = false
        let message = "\(path) could not be read and is now \(aside); what it noted does not hold any more"
        fault = LastingFault(message: message)
        log.record(.internalFault(message))
    }

    private func writeLater() {
        let instant = loop.bootTime.advanced(by: Self.retryGap)
        if let retry { return retry.rearm(at: instant) }
        retry = loop.addTimer(at: instant, accuracy: .seconds(1)) { [unowned self] in
            guard isOwed else { return }
            _ = write()
        }
    }
}

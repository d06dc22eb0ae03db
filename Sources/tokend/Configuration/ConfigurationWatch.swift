// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc
import Systemd

/// Notices changed configuration files, also behind links. A missing folder is waited for in its nearest existing parent.
final class ConfigurationWatch {
    private let loop: EventLoop
    private let folders: [String]
    private let onChange: () -> Void
    private let onFault: (String) -> Void
    private let addWatch: AddWatch?
    /// A folder could not be watched, which was reported.
    private var isBlind = false
    private var sources: [EventSource] = []
    private var pause: EventSource?
    private var second: EventSource?

    /// Watches a folder; takes the callback for each change.
    typealias AddWatch = (_ folder: String, _ handler: @escaping () -> Void) throws(SystemdError) -> EventSource

    /// - Parameters:
    ///   - addWatch: nil: the kernel's inotify.
    ///   - onFault: called with a sentence if a folder cannot be watched, once until all can.
    ///   - onChange: called once for changes that come together.
    init(
        loop: EventLoop,
        folders: [String],
        addWatch: AddWatch? = nil,
        onFault: @escaping (String) -> Void,
        onChange: @escaping () -> Void
    ) {
        self.loop = loop
        self.folders = folders
        self.onFault = onFault
        self.onChange = onChange
        self.addWatch = addWatch
        watch()
    }

    private func watch() {
        sources = []
        var fault: SystemdError?
        for folder in Set((folders + LinkedFolders.of(folders)).map(Self.nearest)) {
            do throws(SystemdError) {
                sources.append(try add(folder) { [unowned self] in changed() })
            } catch {
                fault = error
            }
        }
        if let fault, !isBlind {
            onFault("\(fault.message), so changes of files there are not noticed; after one: tokenctl reload")
        }
        isBlind = fault != nil
    }

    private func add(_ folder: String, _ handler: @escaping () -> Void) throws(SystemdError) -> EventSource {
        if let addWatch { return try addWatch(folder, handler) }
        return try loop.addInotify(folder) { _ in handler() }
    }

    /// Editors write in several steps: changes within a moment count as one.
    private func changed() {
        guard pause == nil else { return }
        pause = loop.addTimer(at: loop.bootTime.advanced(by: .milliseconds(50)), accuracy: .milliseconds(10)) {
            [unowned self] in
            pause = nil
            watch()
            onChange()
        }
    }

    /// Schedules another check, though nothing may have changed.
    func lookAgain() {
        guard second == nil else { return }
        second = loop.addTimer(at: loop.bootTime.advanced(by: .seconds(5)), accuracy: .milliseconds(500)) {
            [unowned self] in
            second = nil
            watch()
            onChange()
        }
    }

    private static func nearest(_ folder: String) -> String {
        var path = folder
        while !path.isEmpty, access(path, F_OK) != 0 {
            path = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        }
        return path.isEmpty ? "/" : path
    }
}

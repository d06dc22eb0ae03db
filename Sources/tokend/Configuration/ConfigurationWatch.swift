// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc
import Systemd

/// Notices changed configuration files. A folder that is not there yet is waited for in the nearest one above it.
final class ConfigurationWatch {
    private let loop: EventLoop
    private let folders: [String]
    private let onChange: () -> Void
    private var sources: [EventSource] = []
    private var pause: EventSource?
    private var second: EventSource?

    /// - Parameter onChange: called once for changes that come together.
    init(loop: EventLoop, folders: [String], onChange: @escaping () -> Void) {
        self.loop = loop
        self.folders = folders
        self.onChange = onChange
        watch()
    }

    private func watch() {
        sources = []
        for folder in Set(folders.map(Self.nearest)) {
            // Where the kernel grants no watch, `tokenctl reload` still does.
            if let source = try? loop.addInotify(folder, handler: { [unowned self] _ in changed() }) {
                sources.append(source)
            }
        }
    }

    /// Editors write in several steps: what comes within a moment is one change.
    private func changed() {
        guard pause == nil else { return }
        pause = loop.addTimer(at: loop.bootTime.advanced(by: .milliseconds(50)), accuracy: .milliseconds(10)) {
            [unowned self] in
            pause = nil
            watch()
            onChange()
        }
    }

    /// Asks for a look in a while, though nothing may have changed.
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

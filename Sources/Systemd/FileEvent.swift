// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd

/// One event of a watched file or folder (`inotify(7)`).
package struct FileEvent: Sendable, Equatable {
    /// What happened.
    package let changes: Changes
    /// The name inside the watched folder; nil for an event of the watched file or folder itself.
    package let name: String?

    /// Changes to watch for, or received.
    package struct Changes: OptionSet, Sendable, Hashable {
        /// The bits, as `inotify(7)` numbers them.
        package let rawValue: UInt32

        /// The changes with these bits.
        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// The attributes changed: mode, owner, times, the number of links.
        package static let attributes = Changes(rawValue: 0x004)
        /// A file that was open for writing was closed: its content is complete.
        package static let written = Changes(rawValue: 0x008)
        /// An entry was moved out of the folder.
        package static let movedFrom = Changes(rawValue: 0x040)
        /// An entry was moved into the folder, as editors do to save a file safely.
        package static let movedTo = Changes(rawValue: 0x080)
        /// An entry was created in the folder.
        package static let created = Changes(rawValue: 0x100)
        /// An entry was removed from the folder.
        package static let deleted = Changes(rawValue: 0x200)
        /// The watched file or folder itself was removed.
        package static let selfDeleted = Changes(rawValue: 0x400)
        /// The watched file or folder itself was moved.
        package static let selfMoved = Changes(rawValue: 0x800)
        /// Its file system was unmounted; always reported.
        package static let unmounted = Changes(rawValue: 0x2000)
        /// Events were lost, so check everything; always reported.
        package static let overflow = Changes(rawValue: 0x4000)
        /// The watch has ended, since its target is gone; always reported.
        package static let ended = Changes(rawValue: 0x8000)
        /// Refuses to watch anything but a folder.
        package static let onlyFolder = Changes(rawValue: 0x0100_0000)
        /// Set in addition: the event concerns a folder.
        package static let isFolder = Changes(rawValue: 0x4000_0000)

        /// All changes to the set of files in a folder or to a file's content.
        package static let content: Changes = [
            .written, .movedFrom, .movedTo, .created, .deleted, .selfDeleted, .selfMoved,
        ]
    }
}

extension FileEvent {
    /// Reads the kernel's record, whose name (padded with NULs to `len` bytes) follows it.
    init(_ record: UnsafePointer<inotify_event>) {
        changes = Changes(rawValue: record.pointee.mask)
        guard record.pointee.len > 0 else {
            name = nil
            return
        }
        let start = UnsafeRawPointer(record) + MemoryLayout<inotify_event>.size
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(record.pointee.len))
        name = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

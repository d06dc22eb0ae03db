// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Parsers for texts of sandboxes about their programs, and of `/proc` about a process.
package enum SandboxText {
    /// The application's ID in `/.flatpak-info` (flatpak-metadata(5)); nil if there is none.
    package static func flatpakID(_ text: String) -> String? {
        var isApplication = false
        // By bytes, since a text of marks takes long to compare as one.
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            if line.first == UInt8(ascii: "["), line.last == UInt8(ascii: "]") {
                isApplication = line.elementsEqual("[Application]".utf8)
            }
            guard isApplication, line.starts(with: "name=".utf8) else { continue }
            return name(Substring(line.dropFirst("name=".utf8.count)))
        }
        return nil
    }

    /// The snap's name in an AppArmor label (`snap.NAME.APP (enforce)`); nil for any other label.
    package static func snapName(label: String) -> String? {
        let words = label.split { $0 == " " || $0 == "\n" || $0 == "\0" }
        let parts = (words.first ?? "").split(separator: ".")
        guard parts.count >= 3, parts[0] == "snap" else { return nil }
        return name(parts[1])
    }

    /// What `/proc/PID/stat` says (proc(5)).
    package struct ProcessStat: Sendable, Equatable {
        /// Field 4: the process that started it, or has taken its parent's part since.
        package let parent: Int32
        /// Field 22: when it started, in ticks since the machine did.
        package let startTime: UInt64
    }

    /// Reads the text of `/proc/PID/stat`. The fields stand after the program's name, and that may hold anything.
    package static func stat(_ text: String) -> ProcessStat? {
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let parent = Int32(fields[1]), let start = UInt64(fields[19]) else { return nil }
        return ProcessStat(parent: parent, startTime: start)
    }

    private static func name(_ text: Substring) -> String? {
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return text.isEmpty || !isPlain ? nil : String(text)
    }
}

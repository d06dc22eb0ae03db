// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Parsers for texts of sandboxes about their programs, and of `/proc` about a process.
package enum SandboxText {
    /// The application's ID in `/.flatpak-info` (flatpak-metadata(5)); nil if there is none.
    package static func flatpakID(_ text: String) -> String? {
        var group: Substring = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("["), line.hasSuffix("]") { group = line.dropFirst().dropLast() }
            guard group == "Application", line.hasPrefix("name=") else { continue }
            return name(line.dropFirst("name=".count))
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

    /// When the process started, in ticks since boot: field 22 of `/proc/PID/stat` (proc(5)), after the program's name,
    /// which may contain anything.
    package static func startTime(stat text: String) -> UInt64? {
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }

    private static func name(_ text: Substring) -> String? {
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return text.isEmpty || !isPlain ? nil : String(text)
    }
}

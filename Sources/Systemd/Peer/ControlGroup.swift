// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The meaning of a process's control group name (`/proc/PID/cgroup`, cgroups(7)).
package struct ControlGroup: Sendable, Equatable {
    /// Its unit: the user manager's if that runs it, the system's otherwise; nil if there is none.
    package var unit: String?
    /// Its unit if it is one of the user manager's.
    package var userUnit: String?
    /// The Flatpak of its scope.
    package var flatpak: String?
    /// The snap of its scope or service.
    package var snap: String?

    /// Reads the file's text.
    ///
    /// - Returns: nil if it names no systemd group.
    package init?(_ text: String) {
        guard let path = Self.path(in: text) else { return nil }
        let components = path.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        let manager = components.lastIndex { $0.hasPrefix("user@") && $0.hasSuffix(".service") }
        let own = manager.map { components[($0 + 1)...] } ?? components[...]
        unit = own.first { !$0.hasSuffix(".slice") && Self.isUnit($0) }.map(Self.unescaped)
        userUnit = manager == nil ? nil : unit
        for component in components.lazy.map(Self.unescaped) {
            flatpak = flatpak ?? Self.flatpak(ofScope: component)
            snap = snap ?? Self.snap(ofUnit: component)
        }
    }

    /// The unified hierarchy's path, or that of systemd's own hierarchy beside older ones.
    private static func path(in text: String) -> Substring.UTF8View? {
        var legacy: Substring.UTF8View?
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            if fields[0].elementsEqual("0".utf8), fields[1].isEmpty, !fields[2].elementsEqual("/".utf8) {
                return fields[2]
            }
            if fields[1].elementsEqual("name=systemd".utf8) { legacy = fields[2] }
        }
        return legacy
    }

    private static func isUnit(_ component: String) -> Bool {
        component.hasSuffix(".service") || component.hasSuffix(".scope")
    }

    /// systemd prefixes an underscore to names that would collide with the kernel's files.
    private static func unescaped(_ component: String) -> String {
        component.hasPrefix("_") ? String(component.dropFirst()) : component
    }

    /// `app-flatpak-ID-NUMBER.scope`, Flatpak's name of a program's scope.
    private static func flatpak(ofScope component: String) -> String? {
        let prefix = "app-flatpak-"
        guard component.hasPrefix(prefix), component.hasSuffix(".scope") else { return nil }
        let rest = component.dropFirst(prefix.count).dropLast(".scope".count)
        guard let dash = rest.lastIndex(of: "-") else { return nil }
        return decoded(rest[..<dash])
    }

    /// `snap.NAME.APP-NUMBER.scope`, `snap.NAME.APP.service`, snapd's names.
    private static func snap(ofUnit component: String) -> String? {
        guard component.hasPrefix("snap."), isUnit(component) else { return nil }
        let parts = component.split(separator: ".")
        return parts.count >= 3 ? decoded(parts[1]) : nil
    }

    /// `\xNN`, systemd's escapes for characters that are invalid in unit names.
    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "x"), rest.count >= 3,
                let value = UInt8(String(decoding: rest.dropFirst().prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

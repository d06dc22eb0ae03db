// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import HTTPTypes

/// Valid names in entries. A name that no program can have is a fault, so that no user relies on it.
enum ClientNames {
    /// The path of a program's file, fully resolved, as the kernel reports it.
    static func checkPath(_ path: String) throws(PatternFault) {
        guard path.hasPrefix("/") else { throw PatternFault("must name the program's file by an absolute path") }
        let isPlain = path.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        // The system would cut a path at a NUL.
        guard isPlain else { throw PatternFault("must not have control characters") }
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !["", ".", ".."].contains($0) }) else {
            throw PatternFault("must name the file without “..”, “.” and empty parts")
        }
        guard path.utf8.count < Int(PATH_MAX) else { throw PatternFault("is longer than a path can be") }
    }

    /// A unit's name with its suffix (systemd.unit(5)).
    static func checkUnit(_ name: String) throws(PatternFault) {
        guard name.hasSuffix(".service") || name.hasSuffix(".scope") else {
            throw PatternFault("must name a unit with its ending, such as unit:mail.service")
        }
        guard consists(name, of: ":-_.@\\"), name.utf8.count <= 255, !name.hasPrefix(".") else {
            throw PatternFault("is no name that a unit can have: letters, digits and :-_.@\\ only, no pattern")
        }
        guard !name.contains(text: "@.") else {
            throw PatternFault("is a template, which nothing runs as: name an instance, such as unit:mail@work.service")
        }
    }

    /// A Flatpak ID: words joined by dots.
    static func checkFlatpak(_ id: String) throws(PatternFault) {
        let words = id.split(separator: ".", omittingEmptySubsequences: false)
        guard words.count > 1, !words.contains(""), consists(id, of: "-_."), id.utf8.count <= 255 else {
            throw PatternFault("must be an ID such as flatpak:org.gnome.Evolution, or flatpak:* for every one")
        }
    }

    /// A snap's name; for parallel installs, with the instance key.
    static func checkSnap(_ name: String) throws(PatternFault) {
        guard consists(name, of: "-_"), name.utf8.count <= 64 else {
            throw PatternFault("must be a name such as snap:thunderbird, or snap:* for every one")
        }
    }

    /// Whether it has only ASCII letters, digits and these.
    private static func consists(_ text: String, of further: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"):
                true
            default: further.utf8.contains(byte)
            }
        }
    }
}

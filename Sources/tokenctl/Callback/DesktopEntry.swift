// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The desktop file that opens a scheme's URLs with `tokenctl callback` (the freedesktop.org desktop entry
/// specification). Pure.
package struct DesktopEntry: Sendable, Equatable {
    /// The file's text.
    package let text: String

    /// The entry of a scheme; `program` is the path of `tokenctl`, and `type` the scheme's name on the desktop.
    package init(scheme: String, type: String, program: String) {
        text = """
            [Desktop Entry]
            Type=Application
            Name=tokend sign-in (\(scheme))
            Comment=Hands the answer of a sign-in to tokend
            Exec=\(Self.word(program)) callback %u
            MimeType=\(type);
            NoDisplay=true
            Terminal=false

            """
    }

    /// A path as a word of `Exec`: quoted if necessary, then escaped as a value of the file.
    private static func word(_ path: String) -> String {
        let percent = path.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
        let isPlain = percent.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "%"):
                true
            default:
                false
            }
        }
        guard !isPlain else { return percent }
        var quoted = ""
        for character in percent {
            // Once for the quotes, once for the file's escapes.
            if "\"`$".contains(character) { quoted += "\\\\" }
            quoted += character == "\\" ? "\\\\\\\\" : String(character)
        }
        return "\"\(quoted)\""
    }
}

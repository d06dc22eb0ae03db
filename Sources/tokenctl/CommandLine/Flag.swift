// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A `--flag`: its name, its help, and how its text is read. A value, so that a misspelt one does not compile:
/// `context[.timeout]`.
package struct Flag<Value: Sendable>: Sendable {
    /// The parts that do not depend on its value's type.
    package let syntax: FlagSyntax
    /// From the words in their order; only one unless it repeats.
    let read: @Sendable ([String]) throws(TokenctlError) -> Value

    /// A flag whose value is parsed when it is used.
    init(_ syntax: FlagSyntax, read: @escaping @Sendable ([String]) throws(TokenctlError) -> Value) {
        self.syntax = syntax
        self.read = read
    }

    /// With its dashes.
    var name: String { syntax.name }

    /// The same flag with another verb's help text.
    func help(_ help: String) -> Flag {
        Flag(FlagSyntax(syntax.name, value: syntax.value, repeats: syntax.repeats, help), read: read)
    }
}

/// A flag as the parser, the help and the completions see it.
package struct FlagSyntax: Sendable, Equatable {
    /// With its dashes, such as `--issuer`.
    package let name: String
    /// The placeholder of its value; nil for a switch.
    package let value: Placeholder?
    /// Whether it may be given more than once.
    package let repeats: Bool
    /// Half a line for the help.
    package let help: String

    init(_ name: String, value: Placeholder? = nil, repeats: Bool = false, _ help: String) {
        self.name = name
        self.value = value
        self.repeats = repeats
        self.help = help
    }
}

extension [FlagSyntax] {
    /// A verb's flags, whatever the types of their values.
    static func of<each Value>(_ flags: repeat Flag<each Value>) -> [FlagSyntax] {
        var list: [FlagSyntax] = []
        for flag in repeat each flags { list.append(flag.syntax) }
        return list
    }
}

extension Flag<Bool> {
    /// A switch.
    init(_ name: String, _ help: String) {
        self.init(FlagSyntax(name, help)) { _ throws(TokenctlError) in true }
    }

    /// Every verb with a result takes this one.
    static var json: Flag { Flag("--json", "print the result as one JSON document") }
}

extension Flag<String> {
    /// A text, used as typed.
    init(_ name: String, _ value: Placeholder, _ help: String) {
        self.init(FlagSyntax(name, value: value, help)) { texts throws(TokenctlError) in texts.last ?? "" }
    }
}

extension Flag<[String]> {
    /// Repeatable texts.
    init(_ name: String, repeating value: Placeholder, _ help: String) {
        self.init(FlagSyntax(name, value: value, repeats: true, help)) { texts throws(TokenctlError) in texts }
    }
}

extension Flag<Int64> {
    /// A duration, in seconds.
    init(_ name: String, time help: String) {
        self.init(FlagSyntax(name, value: .text("TIME"), help)) { texts throws(TokenctlError) in
            let text = texts.last ?? ""
            guard let seconds = Seconds.parse(text) else {
                throw .usage("\(name) wants a time such as 90, 90s, 10m or 2h, not “\(TerminalText.sanitized(text))”")
            }
            return seconds
        }
    }
}

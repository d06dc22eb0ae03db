// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The programs that could open a web page here, in the order of preference.
package enum BrowserCandidates {
    /// A program with its arguments; never run by a shell.
    package struct Command: Sendable, Equatable {
        /// The program's path first.
        package let arguments: [String]

        /// A program's path, then its arguments.
        package init(_ arguments: [String]) {
            self.arguments = arguments
        }
    }

    /// `BROWSER` first (editors and containers set it to reach the user's browser), then `xdg-open` if there is a
    /// display, then WSL's `wslview`. Without a display `xdg-open` would start a text browser on this terminal.
    ///
    /// `find` turns a program's name into its path, or nil.
    package static func list(
        url: String,
        environment: [String: String],
        find: (String) -> String?
    ) -> [Command] {
        var commands = (environment["BROWSER"] ?? "").split(separator: ":")
            .compactMap { command(String($0), url: url, find: find) }
        if hasDisplay(environment), let path = find("xdg-open") { commands.append(Command([path, url])) }
        if let path = find("wslview") { commands.append(Command([path, url])) }
        return commands
    }

    /// The missing programs of `BROWSER`.
    package static func missing(environment: [String: String], find: (String) -> String?) -> [String] {
        (environment["BROWSER"] ?? "").split(separator: ":")
            .compactMap { $0.split(separator: " ").first.map(String.init) }
            .filter { find($0) == nil }
    }

    /// Whether this session has a screen.
    package static func hasDisplay(_ environment: [String: String]) -> Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
    }

    /// One entry of `BROWSER`: words, `%s` is the URL (else it comes last), `%%` is a percent sign.
    private static func command(_ entry: String, url: String, find: (String) -> String?) -> Command? {
        let words = entry.split(separator: " ").map(String.init)
        guard let name = words.first, let path = find(name) else { return nil }
        var placed = false
        var arguments = words.dropFirst().map { word in
            var text = ""
            var rest = word[...]
            while let next = rest.popFirst() {
                guard next == "%", let kind = rest.first, kind == "s" || kind == "%" else {
                    text.append(next)
                    continue
                }
                rest.removeFirst()
                text += kind == "s" ? url : "%"
                placed = placed || kind == "s"
            }
            return text
        }
        if !placed { arguments.append(url) }
        return Command([path] + arguments)
    }
}

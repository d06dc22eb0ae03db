// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// How the desktop finds `tokenctl callback` when a browser is redirected to a private-use scheme (RFC 8252, section
/// 7.1): a desktop file for each scheme in the user's own folder, set as the scheme's default. `tokenctl` writes it,
/// and the daemon checks for it before it uses such a redirect.
package struct CallbackHandler: Sendable {
    /// The scheme, in lower case.
    package let scheme: String
    private let environment: [String: String]

    /// The handler of that scheme, in the user's folders according to the variables.
    package init(scheme: String, environment: [String: String]) {
        self.scheme = scheme
        self.environment = environment
    }

    /// The scheme's name in the desktop's lists.
    package var type: String { "x-scheme-handler/" + scheme }

    /// The desktop file's name, as used in the lists.
    package var name: String { "tokend-\(scheme).desktop" }

    /// The desktop file's path; nil without a home.
    package var file: String? { dataHome.map { "\($0)/applications/\(name)" } }

    /// The list that sets the default; nil without a home.
    package var list: String? { configHome.map { $0 + "/mimeapps.list" } }

    /// The desktop file that opens the scheme now, by the lists in their order of precedence; nil if there is none.
    ///
    /// - Parameter read: returns a file's text; nil if there is none.
    package func opener(read: (String) -> String?) -> String? {
        for list in lists {
            guard let text = read(list) else { continue }
            let name = MimeAppsList(text).defaults(for: type).first { name in
                !name.contains("/") && dataFolders.contains { read("\($0)/applications/\(name)") != nil }
            }
            if let name { return name }
        }
        return nil
    }

    private var lists: [String] {
        let desktops = (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":").map { $0.lowercased() }
        let names = desktops.filter { !$0.contains("/") }.map { $0 + "-mimeapps.list" } + ["mimeapps.list"]
        let folders = configFolders + dataFolders.map { $0 + "/applications" }
        return folders.flatMap { folder in names.map { "\(folder)/\($0)" } }
    }

    private var configFolders: [String] {
        (configHome.map { [$0] } ?? []) + folders("XDG_CONFIG_DIRS", otherwise: "/etc/xdg")
    }

    private var dataFolders: [String] {
        (dataHome.map { [$0] } ?? []) + folders("XDG_DATA_DIRS", otherwise: "/usr/local/share:/usr/share")
    }

    private var configHome: String? { home("XDG_CONFIG_HOME", otherwise: "/.config") }
    private var dataHome: String? { home("XDG_DATA_HOME", otherwise: "/.local/share") }

    /// A relative path in one of these variables counts as absent (the base directory specification).
    private func home(_ variable: String, otherwise path: String) -> String? {
        if let folder = environment[variable], folder.hasPrefix("/") { return folder }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return home + path
    }

    private func folders(_ variable: String, otherwise standard: String) -> [String] {
        let value = environment[variable].flatMap { $0.isEmpty ? nil : $0 } ?? standard
        return value.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    }
}

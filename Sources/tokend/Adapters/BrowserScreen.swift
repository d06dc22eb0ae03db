// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Broker

/// Where a browser that the user's service manager starts finds the user's screen. Pure.
package enum BrowserScreen {
    /// What the browser gets on top of the manager's own variables, so that it finds the user's screen: nothing where
    /// the graphical session has told the manager of one, since the daemon may be older than that session; else what the
    /// daemon was started with.
    ///
    /// - Throws: where one is needed and there is none.
    package static func variables(
        own: [String: String],
        session: [String: String],
        isNeeded: Bool
    ) throws(BrowserError) -> [String: String] {
        func hasScreen(_ variables: [String: String]) -> Bool {
            ["DISPLAY", "WAYLAND_DISPLAY"].contains { variables[$0].nonEmpty != nil }
        }
        if hasScreen(session) { return [:] }
        guard !isNeeded || hasScreen(own) else {
            throw BrowserError(
                message: "no browser could be opened: the user's service manager knows of no screen "
                    + "(systemctl --user import-environment DISPLAY WAYLAND_DISPLAY tells it)"
            )
        }
        return own.filter { display.contains($0.key) }
    }

    /// What a program needs to find the user's screen.
    private static let display: Set<String> = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CURRENT_DESKTOP"]
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Broker

/// The environment through which a browser started by the user's service manager finds the screen. Pure.
package enum BrowserScreen {
    /// The variables that the browser needs beyond the manager's own: none if the graphical session has set them in the
    /// manager, since the daemon may be older than that session; otherwise the daemon's own.
    ///
    /// - Throws: if one is needed and there is none.
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

    /// The variables that lead a program to the user's screen.
    private static let display: Set<String> = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CURRENT_DESKTOP"]
}

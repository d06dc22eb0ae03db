// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Testing
import tokend

@Suite struct BrowserScreenTests {
    private func variables(_ own: [String: String], _ session: [String: String], isNeeded: Bool = true) throws
        -> [String: String]
    {
        try BrowserScreen.variables(own: own, session: session, isNeeded: isNeeded)
    }

    @Test func `the graphical session's screen counts, also for a daemon that is older than it (E7)`() throws {
        #expect(try variables([:], ["WAYLAND_DISPLAY": "wayland-0"]).isEmpty)
        #expect(try variables(["DISPLAY": ":0"], ["DISPLAY": ":1"]).isEmpty)
    }

    @Test func `a session that tells the manager nothing leaves the daemon's own (E7)`() throws {
        let own = ["DISPLAY": ":0", "XAUTHORITY": "/x", "HOME": "/h"]
        #expect(try variables(own, ["DISPLAY": ""]) == ["DISPLAY": ":0", "XAUTHORITY": "/x"])
    }

    @Test func `without any screen it says what is missing, unless another program than xdg-open was named (E7)`()
        throws
    {
        let error = #expect(throws: BrowserError.self) { try variables(["DISPLAY": ""], ["HOME": "/h"]) }
        #expect(error?.message.contains("systemctl --user import-environment DISPLAY WAYLAND_DISPLAY") == true)
        #expect(try variables([:], [:], isNeeded: false).isEmpty)
    }
}

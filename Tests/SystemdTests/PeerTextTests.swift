// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing

@testable import Systemd

/// The texts of `/proc` that say who a process is, honest and hostile.
@Suite struct PeerTextTests {
    private static let user = "/user.slice/user-1000.slice/user@1000.service"

    @Test(arguments: [
        ("0::\(user)/app.slice/mail.service\n", "mail.service"),
        ("0::\(user)/app.slice/app-org.gnome.slice/app-gnome-x-12.scope\n", "app-gnome-x-12.scope"),
        ("0::\(user)/app.slice/mail.service/deeper/x.service\n", "mail.service"),
        ("0::\(user)/app.slice/_cgroup.service\n", "cgroup.service"),
        ("0::/system.slice/nginx.service\n", "nginx.service"),
        ("0::/user.slice/user-1000.slice/session-2.scope\n", "session-2.scope"),
        ("4:memory:/x\n1:name=systemd:\(user)/app.slice/mail.service\n0::/\n", "mail.service"),
    ])
    func `the unit is the innermost manager's`(text: String, unit: String) {
        #expect(ControlGroup(text)?.unit == unit)
    }

    @Test func `the system's units are none of the user's`() {
        #expect(ControlGroup("0::\(Self.user)/app.slice/mail.service\n")?.userUnit == "mail.service")
        #expect(ControlGroup("0::/system.slice/nginx.service\n")?.userUnit == nil)
        #expect(ControlGroup("0::/user.slice/user-1000.slice/session-2.scope\n")?.userUnit == nil)
    }

    @Test(arguments: ["", "0::/\n", "nonsense", "0:\n", "1:cpu:/a.service\n"])
    func `a text without a group names no unit`(text: String) {
        #expect(ControlGroup(text)?.unit == nil)
    }

    @Test func `Flatpak's and snapd's scopes are known by their names`() {
        let flatpak = ControlGroup("0::\(Self.user)/app.slice/app-flatpak-org.gnome.Evolution-4321.scope\n")
        #expect(flatpak?.flatpak == "org.gnome.Evolution" && flatpak?.snap == nil)
        let dashed = ControlGroup("0::\(Self.user)/app.slice/app-flatpak-io.x.a\\x2db-1.scope\n")
        #expect(dashed?.flatpak == "io.x.a-b")
        let snap = ControlGroup("0::\(Self.user)/app.slice/snap.thunderbird.thunderbird-0a1b.scope\n")
        #expect(snap?.snap == "thunderbird" && snap?.flatpak == nil)
        #expect(ControlGroup("0::/system.slice/snap.lxd.daemon.service\n")?.snap == "lxd")
        let plain = ControlGroup("0::\(Self.user)/app.slice/app-flatpak.scope\n")
        #expect(plain?.flatpak == nil && plain?.snap == nil)
    }

    @Test(arguments: [
        ("[Application]\nname=org.gnome.Evolution\nruntime=runtime/x\n", "org.gnome.Evolution"),
        ("[Runtime]\nname=no\n\n[Application]\nruntime=x\nname=io.x.Y\n", "io.x.Y"),
        ("[Application]\nname=\n", nil), ("[Context]\nname=x\n", nil), ("", nil), ("name=x", nil),
        ("[Application]\nname=a b\n", nil), ("[Application]\nname=a\u{1B}[2J\n", nil),
    ])
    func `a Flatpak's ID is its application's name`(text: String, id: String?) {
        #expect(SandboxText.flatpakID(text) == id)
    }

    @Test(arguments: [
        ("snap.thunderbird.thunderbird (enforce)\n", "thunderbird"), ("snap.a.hook.b (complain)", "a"),
        ("unconfined\n", nil), ("snap.x (enforce)", nil), ("/usr/bin/snap.a.b (enforce)", nil), ("", nil),
    ])
    func `a snap's name is in its label`(label: String, name: String?) {
        #expect(SandboxText.snapName(label: label) == name)
    }

    @Test func `a program's name cannot forge the start time or the parent`() {
        let rest = "S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20 21"
        #expect(SandboxText.stat("12 (a) \(rest)") == .init(parent: 1, startTime: 777))
        let forged = "12 (a) S 9 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 1) \(rest)"
        #expect(SandboxText.stat(forged) == .init(parent: 1, startTime: 777))
        #expect(SandboxText.stat("12 (a) S 1") == nil && SandboxText.stat("") == nil)
    }
}

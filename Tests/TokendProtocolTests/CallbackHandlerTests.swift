// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing
import TokendProtocol

@Suite struct CallbackHandlerTests {
    private static let type = "x-scheme-handler/com.example.app"

    private func handler(_ environment: [String: String] = ["HOME": "/h"]) -> CallbackHandler {
        CallbackHandler(scheme: "com.example.app", environment: environment)
    }

    @Test func `its files lie where the base directories are`() {
        #expect(handler().file == "/h/.local/share/applications/tokend-com.example.app.desktop")
        #expect(handler().list == "/h/.config/mimeapps.list")
        let own = handler(["HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c"])
        #expect(own.file == "/d/applications/tokend-com.example.app.desktop" && own.list == "/c/mimeapps.list")
        #expect(handler(["XDG_DATA_HOME": "d", "HOME": ""]).file == nil)
    }

    @Test func `the first list with a program that is there decides`() {
        let ours = "tokend-com.example.app.desktop"
        let entry = { (name: String) in "[Default Applications]\n\(Self.type)=\(name)\n" }
        var files = [
            "/h/.config/mimeapps.list": entry("gone.desktop;" + ours),
            "/h/.local/share/applications/" + ours: "",
        ]
        #expect(handler().opener { files[$0] } == ours)
        files["/h/.config/gnome-mimeapps.list"] = entry("other.desktop")
        files["/usr/share/applications/other.desktop"] = ""
        #expect(handler().opener { files[$0] } == ours)
        let gnome = handler(["HOME": "/h", "XDG_CURRENT_DESKTOP": "ubuntu:GNOME"])
        #expect(gnome.opener { files[$0] } == "other.desktop")
        files["/h/.local/share/applications/" + ours] = nil
        #expect(handler().opener { files[$0] } == nil)
        files["/usr/share/applications/mimeapps.list"] = entry("other.desktop")
        #expect(handler().opener { files[$0] } == "other.desktop")
        files["/h/.config/mimeapps.list"] = entry("../../../etc/x.desktop")
        files["/usr/share/applications/../../../etc/x.desktop"] = ""
        #expect(handler().opener { files[$0] } == "other.desktop")
    }

    @Test func `of a list only the entry of the type changes`() {
        let text = """
            # kept
            [Added Associations]
            \(Self.type)=x.desktop;

            [Default Applications]
            a/b = c.desktop ; d.desktop;
            e/f=g.desktop

            [Removed Associations]
            h/i=j.desktop;

            """
        var list = MimeAppsList(text)
        #expect(list.text == text)
        #expect(list.defaults(for: Self.type) == [] && list.defaults(for: "a/b") == ["c.desktop", "d.desktop"])
        list.set(["t.desktop"], for: Self.type)
        let heading = "[Default Applications]\n"
        #expect(list.text == text.replacing(heading, with: heading + "\(Self.type)=t.desktop;\n"))
        list.set(["t.desktop", "u.desktop"], for: Self.type)
        #expect(list.defaults(for: Self.type) == ["t.desktop", "u.desktop"])
        list.set([], for: Self.type)
        #expect(list.text == text)
        list.set([], for: Self.type)
        #expect(list.text == text)
    }

    @Test func `an empty list gets a section, and loses it again`() {
        var list = MimeAppsList()
        list.set(["t.desktop"], for: Self.type)
        #expect(list.text == "[Default Applications]\n\(Self.type)=t.desktop;\n")
        list.set([], for: Self.type)
        #expect(list.text == "")
        var other = MimeAppsList("[X]\na=b")
        other.set(["t.desktop"], for: Self.type)
        #expect(other.text == "[X]\na=b\n\n[Default Applications]\n\(Self.type)=t.desktop;\n")
        other.set([], for: Self.type)
        #expect(other.text == "[X]\na=b\n")
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A played Secret Service, for the prompts that no real one shows without a display.
extension KeyringSession {
    /// How the prompt to unlock it ends.
    package enum PlayedPrompt: String, Sendable {
        /// The user gives the password, sooner than the call that shows the prompt returns.
        case answered
        /// The user closes it.
        case dismissed
        /// Nobody does anything, and it cannot be taken away either.
        case ignored
    }

    /// Starts a provider with an empty, locked collection that is unlocked by a prompt; plain sessions only.
    package func startPlayedProvider(prompt: PlayedPrompt) async throws {
        let child = try ChildProcess(
            "/usr/bin/python3",
            ["-c", Self.playedProvider, prompt.rawValue],
            environment: environment
        )
        adopt(child)
        try await waitForName()
    }

    private static let playedProvider = """
        import sys
        from gi.repository import Gio, GLib
        NAME, ROOT = "org.freedesktop.secrets", "/org/freedesktop/secrets"
        COLLECTION, PROMPT = ROOT + "/collection/played", ROOT + "/prompt/p1"
        locked = True
        S = "org.freedesktop.Secret."
        XML = '''<node>
        <interface name="org.freedesktop.Secret.Service">
          <method name="OpenSession"><arg type="s" direction="in"/><arg type="v" direction="in"/>
            <arg type="v" direction="out"/><arg type="o" direction="out"/></method>
          <method name="ReadAlias"><arg type="s" direction="in"/><arg type="o" direction="out"/></method>
          <method name="SearchItems"><arg type="a{ss}" direction="in"/>
            <arg type="ao" direction="out"/><arg type="ao" direction="out"/></method>
          <method name="Unlock"><arg type="ao" direction="in"/>
            <arg type="ao" direction="out"/><arg type="o" direction="out"/></method>
        </interface>
        <interface name="org.freedesktop.Secret.Collection">
          <property name="Locked" type="b" access="read"/><property name="Label" type="s" access="read"/>
        </interface>
        <interface name="org.freedesktop.Secret.Prompt">
          <method name="Prompt"><arg type="s" direction="in"/></method><method name="Dismiss"/>
          <signal name="Completed"><arg type="b"/><arg type="v"/></signal>
        </interface></node>'''
        def completed(bus, dismissed):
            paths = GLib.Variant("ao", [] if dismissed else [COLLECTION])
            bus.emit_signal(None, PROMPT, S + "Prompt", "Completed", GLib.Variant("(bv)", (dismissed, paths)))
        def called(bus, sender, path, interface, method, arguments, invocation):
            global locked
            if method == "OpenSession":
                if arguments[0] != "plain":
                    return invocation.return_dbus_error("org.freedesktop.DBus.Error.NotSupported", "plain only")
                return invocation.return_value(GLib.Variant("(vo)", (GLib.Variant("s", ""), ROOT + "/session/s1")))
            if method == "ReadAlias":
                return invocation.return_value(GLib.Variant("(o)", (COLLECTION,)))
            if method == "SearchItems":
                return invocation.return_value(GLib.Variant("(aoao)", ([], [])))
            if method == "Unlock":
                return invocation.return_value(GLib.Variant("(aoo)", ([], PROMPT)))
            if method == "Prompt" and sys.argv[1] != "ignored":
                locked = sys.argv[1] != "answered"
                completed(bus, locked)
            invocation.return_value(None)
        def read(bus, sender, path, interface, name):
            return GLib.Variant("b", locked) if name == "Locked" else GLib.Variant("s", "played")
        bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        for path, interface in zip([ROOT, COLLECTION, PROMPT], Gio.DBusNodeInfo.new_for_xml(XML).interfaces):
            bus.register_object(path, interface, called, read, None)
        Gio.bus_own_name_on_connection(bus, NAME, 0, None, None)
        GLib.MainLoop().run()
        """
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// oo7, which Fedora puts in gnome-keyring's place and Debian does not have, played on the bus. What it does unlike the
/// others: its collection is `…/collection/Login`, and its `Unlock` does not know the alias of that.
extension KeyringSession {
    /// Starts a provider by that name with an unlocked collection that has one item.
    ///
    /// - Parameters:
    ///   - attributes: the item's, where it has one: taken over from another program.
    ///   - secret: the item's.
    ///   - locked: whether the collection is locked until it is unlocked by its own path.
    ///   - lostSessions: how many secrets it cannot read first, as KWallet cannot in one session of 256.
    ///   - refusedKeys: how many public keys of clients it refuses first, in KWallet's words for one that is too short.
    package func startPlayedOO7(
        holding attributes: [String: String] = [:],
        secret: String = "",
        locked: Bool = false,
        refusedKeys: Int = 0,
        lostSessions: Int = 0
    ) async throws {
        let pairs = attributes.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        let counts = [String(refusedKeys), String(lostSessions)]
        let arguments = ["-c", Self.playedOO7, locked ? "locked" : "unlocked"] + counts + [secret] + pairs
        adopt(try ChildProcess("/usr/bin/python3", arguments, environment: environment))
        try await waitForName()
    }

    private static let playedOO7 = """
        import sys
        from gi.repository import Gio, GLib
        open("/proc/self/comm", "w").write("oo7-daemon")
        ROOT, S = "/org/freedesktop/secrets", "org.freedesktop.Secret."
        COLLECTION = ROOT + "/collection/Login"
        locked, items, count = sys.argv[1] == "locked", {}, 0
        refused_keys, lost_sessions = int(sys.argv[2]), int(sys.argv[3])
        V = GLib.Variant
        XML = '''<node>
        <interface name="org.freedesktop.Secret.Service">
          <method name="OpenSession"><arg type="s" direction="in"/><arg type="v" direction="in"/>
            <arg type="v" direction="out"/><arg type="o" direction="out"/></method>
          <method name="ReadAlias"><arg type="s" direction="in"/><arg type="o" direction="out"/></method>
          <method name="SearchItems"><arg type="a{ss}" direction="in"/>
            <arg type="ao" direction="out"/><arg type="ao" direction="out"/></method>
          <method name="Unlock"><arg type="ao" direction="in"/>
            <arg type="ao" direction="out"/><arg type="o" direction="out"/></method>
          <method name="GetSecrets"><arg type="ao" direction="in"/><arg type="o" direction="in"/>
            <arg type="a{o(oayays)}" direction="out"/></method>
        </interface>
        <interface name="org.freedesktop.Secret.Collection">
          <method name="CreateItem"><arg type="a{sv}" direction="in"/><arg type="(oayays)" direction="in"/>
            <arg type="b" direction="in"/><arg type="o" direction="out"/><arg type="o" direction="out"/></method>
          <property name="Locked" type="b" access="read"/><property name="Label" type="s" access="read"/>
          <property name="Items" type="ao" access="read"/>
          <property name="Created" type="t" access="read"/><property name="Modified" type="t" access="read"/>
        </interface>
        <interface name="org.freedesktop.Secret.Item">
          <method name="Delete"><arg type="o" direction="out"/></method>
          <method name="SetSecret"><arg type="(oayays)" direction="in"/></method>
          <property name="Locked" type="b" access="read"/><property name="Label" type="s" access="read"/>
          <property name="Attributes" type="a{ss}" access="read"/>
          <property name="Created" type="t" access="read"/><property name="Modified" type="t" access="read"/>
        </interface></node>'''
        bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        SERVICE, KEPT, ITEM = Gio.DBusNodeInfo.new_for_xml(XML).interfaces
        def add(label, attributes, secret):
            global count
            count += 1
            path = COLLECTION + "/%d" % count
            number = bus.register_object(path, ITEM, called, read, None)
            items[path] = dict(label=label, attributes=attributes, secret=secret, number=number)
            return path
        def found(wanted):
            return [p for p, i in items.items() if all(i["attributes"].get(k) == v for k, v in wanted.items())]
        def called(bus, sender, path, interface, method, arguments, invocation):
            global locked, refused_keys, lost_sessions
            def answer(type, *values):
                invocation.return_value(V(type, values))
            if method == "OpenSession":
                if refused_keys > 0:
                    refused_keys -= 1
                    text = "Client public key size is invalid"
                    return invocation.return_dbus_error("org.freedesktop.DBus.Error.InvalidArgs", text)
                if arguments[0] != "plain":
                    return invocation.return_dbus_error("org.freedesktop.DBus.Error.NotSupported", "plain only")
                answer("(vo)", V("s", ""), ROOT + "/session/s1")
            elif method == "ReadAlias":
                answer("(o)", COLLECTION if arguments[0] == "default" else "/")
            elif method == "SearchItems":
                answer("(aoao)", *(([], found(arguments[0])) if locked else (found(arguments[0]), [])))
            elif method == "Unlock":
                known = [p for p in arguments[0] if p == COLLECTION]
                locked = locked and not known
                answer("(aoo)", known, "/")
            elif method == "GetSecrets":
                answer("(a{o(oayays)})", {p: (arguments[1], b"", items[p]["secret"], "text/plain")
                                          for p in arguments[0] if p in items and not locked})
            elif method in ("CreateItem", "SetSecret") and lost_sessions > 0:
                lost_sessions -= 1
                invocation.return_dbus_error("org.freedesktop.Secret.Error.NoSession", "Can't find session s1")
            elif method == "CreateItem":
                new = arguments[0]
                answer("(oo)", add(new[S + "Item.Label"], new[S + "Item.Attributes"], bytes(arguments[1][2])), "/")
            elif method == "SetSecret":
                items[path]["secret"] = bytes(arguments[0][2])
                invocation.return_value(None)
            elif method == "Delete":
                bus.unregister_object(items.pop(path)["number"])
                answer("(o)", "/")
        def read(bus, sender, path, interface, name):
            if name in ("Created", "Modified"): return V("t", 0)
            if name == "Locked": return V("b", locked)
            if name == "Items": return V("ao", list(items))
            if name == "Attributes": return V("a{ss}", items[path]["attributes"])
            return V("s", items[path]["label"] if path in items else "Login")
        for path, interface in [(ROOT, SERVICE), (COLLECTION, KEPT)]:
            bus.register_object(path, interface, called, read, None)
        pairs = sys.argv[5:]
        if pairs: add("taken over", dict(zip(pairs[::2], pairs[1::2])), sys.argv[4].encode())
        Gio.bus_own_name_on_connection(bus, "org.freedesktop.secrets", 0, None, None)
        GLib.MainLoop().run()
        """
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Names on the bus, and whether it is connected.
extension Bus {
    /// The bus's own object.
    static func busCall(_ member: String, _ arguments: [BusValue]) -> BusCall {
        BusCall(
            "org.freedesktop.DBus",
            path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus",
            member: member,
            arguments: arguments
        )
    }

    /// Whether `name` has an owner now.
    package func hasOwner(_ name: String, deadline: Duration) async throws(SystemdError) -> Bool {
        let results = try await call(Self.busCall("NameHasOwner", [.string(name)]), deadline: deadline)
        return results.first?.bool ?? false
    }

    /// The unique name of `name`'s owner.
    ///
    /// - Throws: if there is none.
    package func owner(of name: String, deadline: Duration) async throws(SystemdError) -> String? {
        try await call(Self.busCall("GetNameOwner", [.string(name)]), deadline: deadline).first?.text
    }

    /// Reports each change of `name`'s owner: the new unique name, nil if there is none.
    package func watchOwner(
        of name: String,
        handler: @escaping (_ owner: String?) -> Void
    ) throws(SystemdError) -> BusSlot {
        let changes = BusMatch(
            sender: "org.freedesktop.DBus",
            path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus",
            member: "NameOwnerChanged",
            firstArgument: name
        )
        return try match(changes) { signal in
            guard signal.arguments.count == 3, let owner = signal.arguments[2].text else { return }
            handler(owner.isEmpty ? nil : owner)
        }
    }
}

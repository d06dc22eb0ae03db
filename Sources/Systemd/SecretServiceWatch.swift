// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Watches the Secret Service, so that a daemon that waits for an unlocked store need not poll it.
///
/// An event is a reason to check, not a fact: gnome-keyring reports each lock twice (`collectionChanged`, then
/// `lockChanged`), KeePassXC only by `collectionChanged`, which also comes for every stored item.
package final class SecretServiceWatch {
    /// What happened.
    package enum Event: Sendable, Equatable {
        /// A provider took the name; it may be another one than before, with other items.
        case appeared
        /// The service has no provider any more.
        case vanished
        /// A collection was locked or unlocked.
        case lockChanged(collection: String, isLocked: Bool)
        /// A collection was created, removed or changed.
        case collectionChanged(collection: String)
        /// A KDE wallet was opened, by PAM for example: its Secret Service does not report that.
        case walletOpened
    }

    /// The providers' well-known name.
    package static let name = "org.freedesktop.secrets"
    private var slots: [BusSlot] = []

    /// Watches on the user's bus, as long as this object lives. Starts no provider.
    package init(on bus: Bus, handler: @escaping (Event) -> Void) throws(SystemdError) {
        let owner = try bus.watchOwner(of: Self.name) { handler($0 == nil ? .vanished : .appeared) }
        let service = try bus.match(
            BusMatch(sender: Self.name, path: "/org/freedesktop/secrets", interface: "org.freedesktop.Secret.Service")
        ) { signal in
            guard signal.member.hasPrefix("Collection"), let path = signal.arguments.first?.text else { return }
            handler(.collectionChanged(collection: path))
        }
        let properties = try bus.match(
            BusMatch(
                sender: Self.name,
                pathNamespace: "/org/freedesktop/secrets",
                interface: "org.freedesktop.DBus.Properties",
                member: "PropertiesChanged",
                firstArgument: "org.freedesktop.Secret.Collection"
            )
        ) { signal in
            guard signal.arguments.count > 1, let isLocked = signal.arguments[1][key: "Locked"]?.bool else { return }
            handler(.lockChanged(collection: signal.path, isLocked: isLocked))
        }
        let wallet = try bus.match(
            BusMatch(sender: Self.name, interface: "org.kde.KWallet", member: "walletOpened")
        ) { _ in
            handler(.walletOpened)
        }
        slots = [owner, service, properties, wallet]
    }

    /// Ends the watch. Loop's thread only.
    package func cancel() {
        for slot in slots { slot.cancel() }
        slots = []
    }
}

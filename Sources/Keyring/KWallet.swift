// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSecret

/// KDE's wallet, if it provides the Secret Service: functions of its own interface. Worker's thread only.
///
/// - A wallet that PAM has opened at the login is `Locked` on the Secret Service until a client unlocks it there, which
///   needs no prompt.
/// - A stored item is in its file 5 s after it was acknowledged, or as soon as a client requests the write.
///
/// Only an open wallet is used: opening a closed one raises a dialog.
struct KWallet {
    /// The names and objects of its own interface, by KDE generation; it owns one of the names beside the Secret
    /// Service's.
    private static let places = [
        ("org.kde.kwalletd5", "/modules/kwalletd5"),
        ("org.kde.kwalletd6", "/modules/kwalletd6"),
        ("org.kde.ksecretd", "/ksecretd"),
    ]
    /// The name by which the wallet knows this program.
    private static let application = "tokend"
    /// For each call: another program's dialog delays the wallet's answers, and these calls are optional.
    private static let patience: Duration = .seconds(2)

    private let owner: String
    private let path: String
    private let connection: BusConnection

    /// nil if the provider is another one.
    init?(
        of owner: String,
        on connection: BusConnection,
        _ cancellation: Cancellation
    ) throws(GLibError) {
        var found: String?
        for (name, path) in Self.places where found == nil {
            if try connection.owner(of: name, cancellation: cancellation) == owner { found = path }
        }
        guard let found else { return nil }
        self.owner = owner
        self.path = found
        self.connection = connection
    }

    /// Whether a wallet is open, for any program.
    func isOpen(_ wallet: String, _ cancellation: Cancellation) throws(GLibError) -> Bool {
        let arguments = [g_variant_new_string(wallet)]
        return try connection.call(
            target("isOpen"),
            arguments,
            returning: "(b)",
            within: Self.patience,
            cancellation
        ) {
            g_variant_get_boolean($0[0]) != 0
        }
    }

    /// Requests that the wallet's file be written now. If that fails, the item is stored all the same.
    func synchronize(_ wallet: String, _ cancellation: Cancellation) {
        do throws(GLibError) {
            guard try isOpen(wallet, cancellation) else { return }
            let opening = [
                g_variant_new_string(wallet), g_variant_new_int64(0), g_variant_new_string(Self.application),
            ]
            let handle = try connection.call(
                target("open"),
                opening,
                returning: "(i)",
                within: Self.patience,
                cancellation
            ) {
                g_variant_get_int32($0[0])
            }
            guard handle >= 0 else { return }
            // It has no answer; the next call is answered after it is done.
            connection.notify(
                target("sync"),
                [g_variant_new_int32(handle), g_variant_new_string(Self.application)]
            )
            let closing = [
                g_variant_new_int32(handle), g_variant_new_boolean(0), g_variant_new_string(Self.application),
            ]
            try connection.call(target("close"), closing, returning: "(i)", within: Self.patience, cancellation) { _ in
            }
        } catch {
            return
        }
    }

    private func target(_ method: String) -> MethodTarget {
        MethodTarget(name: owner, path: path, interface: "org.kde.KWallet", method: method)
    }
}

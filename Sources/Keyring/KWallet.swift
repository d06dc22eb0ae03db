// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSecret

/// KDE's wallet, where it provides the Secret Service: what its own interface can do beyond that. Worker's thread only.
///
/// - A wallet that PAM has opened at the login is `Locked` on the Secret Service until a client unlocks it there, for
///   which nobody is asked.
/// - What is stored is in its file 5 s after it was acknowledged, or as soon as a client has it written.
///
/// Only a wallet that is open is touched: opening one that is closed raises a dialog.
struct KWallet {
    /// The names and objects of its own interface, by generation of KDE; it has one of the names beside the Secret
    /// Service's.
    private static let places = [
        ("org.kde.kwalletd5", "/modules/kwalletd5"),
        ("org.kde.kwalletd6", "/modules/kwalletd6"),
        ("org.kde.ksecretd", "/ksecretd"),
    ]
    /// What the wallet knows this program by.
    private static let application = "tokend"
    /// For each call: another program's dialog holds up the wallet's answers, and what is asked here can be left.
    private static let patience: Duration = .seconds(2)

    private let owner: String
    private let path: String
    private let connection: BusConnection

    /// nil where the provider is another one.
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

    /// Whether a wallet is open, for whomever.
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

    /// Has what was stored written to the wallet's file now. It is stored all the same where that fails.
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
            // It has no answer; the next call's comes after it is done.
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The sentences for what is missing.
extension StoreSession {
    static var noBus: KeyringError {
        unavailable(
            "there is no session message bus to find the keyring on: neither DBUS_SESSION_BUS_ADDRESS nor a socket"
                + " $XDG_RUNTIME_DIR/bus; run tokend in a login session, or keep grants in a file"
                + " (store: \"file\" in config.json5)"
        )
    }

    static var noProvider: KeyringError {
        unavailable(
            "no program provides the Secret Service (org.freedesktop.secrets) in this session; start or install one"
                + " (gnome-keyring, or KeePassXC or KWallet with its Secret Service switched on), or keep grants in a"
                + " file (store: \"file\" in config.json5)"
        )
    }

    static func noCollection(_ opened: Opened) -> KeyringError {
        let name = opened.provider.name
        let message =
            if opened.wallet != nil {
                "KDE's wallet (\(name)) has no wallet to keep grants in yet; make one in KWalletManager"
                    + " (kwalletmanager5), and log in again"
            } else if name == "keepassxc" {
                "KeePassXC shows nothing to the Secret Service that grants could be kept in (a default collection);"
                    + " open a database in it, and expose a group in its settings, \"Secret Service Integration\""
            } else {
                "\(name) has no default collection to keep grants in; make one in your password manager: with"
                    + " gnome-keyring, a keyring set as default in \"Passwords and Keys\" (seahorse)"
            }
        return KeyringError(code: .unavailable, message: message, provider: name)
    }

    static var noDescriptors: KeyringError {
        unavailable(
            "tokend has used up its file descriptors, and none is left to reach the keyring with; end sign-ins and"
                + " clients that wait, or raise LimitNOFILE in tokend's unit"
        )
    }

    static var locked: KeyringError {
        KeyringError(
            code: .locked,
            message: "the keyring is locked; unlock it with `tokenctl unlock`, or in your password manager"
        )
    }

    static var dismissed: KeyringError {
        KeyringError(
            code: .dismissed,
            message: "the password manager's question was dismissed, or could not be shown; ask again, or unlock the"
                + " keyring in your password manager"
        )
    }

    static func gone(_ provider: KeyringProvider?) -> KeyringError {
        unavailable(
            "the keyring \(provider?.text ?? "") has gone away; start it again, or let `tokenctl unlock` start"
                + " the session's own"
        )
    }

    static func replaced(_ program: String, by provider: KeyringProvider) -> KeyringError {
        let program = KeyringProvider.name(of: program)
        return unavailable(
            "the grants are in \(program), but \(provider.text) provides the Secret Service now; start \(program)"
                + " again, or accept the new one with `tokenctl unlock`"
        )
    }

    private static func unavailable(_ message: String) -> KeyringError {
        KeyringError(code: .unavailable, message: message)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSecret

/// A GError's content.
struct GLibError: Error, CustomStringConvertible {
    let domain: GQuark
    let code: Int32
    let message: String
    /// The error's name on the bus, where it came from there.
    var remoteName: String?

    /// Calls a GLib function whose last parameter receives the error.
    static func check<Result>(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Result
    ) throws(GLibError) -> Result {
        var error: UnsafeMutablePointer<GError>?
        let result = body(&error)
        guard let error else { return result }
        defer { g_error_free(error) }
        let name = g_dbus_error_get_remote_error(error)
        defer { g_free(name) }
        g_dbus_error_strip_remote_error(error)
        throw GLibError(
            domain: error.pointee.domain,
            code: error.pointee.code,
            message: String(cString: error.pointee.message),
            remoteName: name.map { String(cString: $0) }
        )
    }

    /// Calls a GLib function that creates an object.
    static func object<Object>(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> UnsafeMutablePointer<Object>?
    ) throws(GLibError) -> ObjectReference<Object> {
        guard let pointer = try check(body) else {
            throw GLibError(domain: tokend_gio_error_domain(), code: 0, message: "nothing came back")
        }
        return ObjectReference(owned: pointer)
    }

    /// The connection is closed.
    static func closed(_ message: String) -> GLibError {
        GLibError(domain: tokend_gio_error_domain(), code: Int32(G_IO_ERROR_CLOSED.rawValue), message: message)
    }

    var description: String { "\(String(cString: g_quark_to_string(domain))) \(code): \(message)" }

    /// The session with the provider is none, or none any more: what came in it could not be read.
    var isLostSession: Bool {
        remoteName == "org.freedesktop.Secret.Error.NoSession" || message.hasPrefix("Can't find session ")
            || matches(SECRET_ERROR_PROTOCOL)
    }

    func matches(_ code: SecretError) -> Bool {
        domain == tokend_secret_error_domain() && self.code == Int32(code.rawValue)
    }

    func matches(_ codes: GIOErrorEnum...) -> Bool {
        domain == tokend_gio_error_domain() && codes.contains { Int32($0.rawValue) == code }
    }

    func matches(_ codes: GDBusError...) -> Bool {
        domain == tokend_gdbus_error_domain() && codes.contains { Int32($0.rawValue) == code }
    }
}

extension GLibError {
    /// The error for the keyring's caller.
    ///
    /// - Parameter task: the task, as in "Cannot … ".
    func keyringError(_ task: String) -> KeyringError {
        KeyringError(code: meaning, message: "cannot \(task): \(message); \(advice)", underlying: self)
    }

    private var meaning: KeyringError.Code {
        if matches(SECRET_ERROR_IS_LOCKED) { return .locked }
        if matches(G_IO_ERROR_CANCELLED, G_IO_ERROR_TIMED_OUT) { return .timedOut }
        if matches(G_DBUS_ERROR_TIMEOUT, G_DBUS_ERROR_TIMED_OUT) { return .timedOut }
        return isAbsence ? .unavailable : .failed
    }

    /// Whether the bus or the provider is missing.
    private var isAbsence: Bool {
        // GDBus reports a broken connection under several codes of G_IO_ERROR, and a missing name under G_DBUS_ERROR.
        if domain == tokend_gio_error_domain() { return true }
        return matches(
            G_DBUS_ERROR_SERVICE_UNKNOWN,
            G_DBUS_ERROR_NAME_HAS_NO_OWNER,
            G_DBUS_ERROR_NO_SERVER,
            // The bus's error for a callee that ended before it answered.
            G_DBUS_ERROR_NO_REPLY,
            G_DBUS_ERROR_DISCONNECTED,
            G_DBUS_ERROR_SPAWN_FAILED,
            G_DBUS_ERROR_SPAWN_CHILD_EXITED,
            G_DBUS_ERROR_SPAWN_CHILD_SIGNALED,
            G_DBUS_ERROR_SPAWN_EXEC_FAILED,
            G_DBUS_ERROR_SPAWN_SERVICE_NOT_FOUND
        )
    }

    private var advice: String {
        switch meaning {
        case .locked: "unlock it with `tokenctl unlock`, or in your password manager"
        case .timedOut: "the password manager runs and does not answer; restart it"
        case .unavailable: "see that a password manager that provides the Secret Service runs in this session"
        case .dismissed, .failed: "the password manager's own log may say more"
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSecret

/// A provider's prompt to the user before it performs a request.
///
/// libsecret's own wait does not end when the provider does, nor always when it is cancelled; this one ends with the
/// answer, the provider, the connection or the cancellation, whichever is first. Worker's thread only.
final class Prompt {
    private let path: String
    private let owner: String
    private let connection: BusConnection
    private var end: End?

    private enum End {
        case answered(agreed: Bool)
        /// The provider is gone, or its answer is invalid.
        case broken
    }

    /// - Returns: nil if the provider names no prompt: the request is done.
    init?(path: String, of owner: String, on connection: BusConnection) {
        guard path != "/" else { return nil }
        self.path = path
        self.owner = owner
        self.connection = connection
    }

    /// Shows the prompt, and waits for its end; a prompt that is no longer waited for is dismissed.
    ///
    /// - Returns: whether the user agreed.
    func run(_ cancellation: Cancellation) throws(GLibError) -> Bool {
        // Before the call: an answer may arrive before the call returns.
        let subscriptions = [
            subscribe(to: "Completed", of: "org.freedesktop.Secret.Prompt", at: path, from: owner, about: nil),
            subscribe(
                to: "NameOwnerChanged",
                of: "org.freedesktop.DBus",
                at: "/org/freedesktop/DBus",
                from: "org.freedesktop.DBus",
                about: owner
            ),
        ]
        defer { subscriptions.forEach { g_dbus_connection_signal_unsubscribe(connection.pointer, $0) } }
        try connection.call(target("Prompt"), [g_variant_new_string("")], returning: "()", cancellation) { _ in }
        wait(cancellation)
        switch end {
        case .answered(let agreed):
            return agreed
        case .broken:
            throw GLibError.closed("the password manager has ended")
        case nil:
            connection.notify(target("Dismiss"))
            _ = try GLibError.check { g_cancellable_set_error_if_cancelled(cancellation.pointer, $0) }
            throw GLibError.closed("the message bus has ended")
        }
    }

    private func wait(_ cancellation: Cancellation) {
        let context = g_main_context_ref_thread_default()
        defer { g_main_context_unref(context) }
        let wake = g_cancellable_source_new(cancellation.pointer)
        g_source_set_dummy_callback(wake)
        g_source_attach(wake, context)
        defer {
            g_source_destroy(wake)
            g_source_unref(wake)
        }
        while end == nil, g_cancellable_is_cancelled(cancellation.pointer) == 0, !connection.isClosed {
            g_main_context_iteration(context, 1)
        }
    }

    private func target(_ method: String) -> MethodTarget {
        MethodTarget(name: owner, path: path, interface: "org.freedesktop.Secret.Prompt", method: method)
    }

    private func subscribe(
        to signal: String,
        of interface: String,
        at path: String,
        from sender: String,
        about argument: String?
    ) -> guint {
        g_dbus_connection_signal_subscribe(
            connection.pointer,
            sender,
            interface,
            signal,
            path,
            argument,
            G_DBUS_SIGNAL_FLAGS_NONE,
            { _, _, _, _, signal, parameters, prompt in
                guard let signal, let prompt else { return }
                Unmanaged<Prompt>.fromOpaque(prompt).takeUnretainedValue()
                    .receive(String(cString: signal), parameters)
            },
            Unmanaged.passRetained(self).toOpaque(),
            { prompt in
                guard let prompt else { return }
                Unmanaged<Prompt>.fromOpaque(prompt).release()
            }
        )
    }

    private func receive(_ signal: String, _ parameters: OpaquePointer?) {
        guard signal == "Completed", String(cString: g_variant_get_type_string(parameters)) == "(bv)" else {
            end = end ?? .broken
            return
        }
        let dismissed = g_variant_get_child_value(parameters, 0)
        end = .answered(agreed: g_variant_get_boolean(dismissed) == 0)
        g_variant_unref(dismissed)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// How one request is mistreated. Behaviours are values that can be combined by setting several members.
package struct Behaviour: Sendable {
    package enum Delivery: Sendable {
        case whole
        /// Nothing is sent and the connection is closed; with `reset` by an RST.
        case closed(reset: Bool)
        /// Head and half of the body, then the end of the connection.
        case half
        /// These bytes instead of any answer, then the end of the connection.
        case raw([UInt8])
    }

    /// Waited for before the request is looked at, so that nothing is committed yet.
    package var holdRequest: Gate?
    /// Ends the connection before the request is looked at.
    package var closesBeforeCommit = false
    /// Sent instead of what the provider would answer; nothing is committed.
    package var replacement: WireResponse?
    /// Changes the redirect's parameters, at the authorization endpoint.
    package var editRedirect: (@Sendable (inout WireParameters) -> Void)?
    /// Changes the ID token before it is signed, at the token endpoint.
    package var editIDToken: (@Sendable (inout IDTokenDraft) -> Void)?
    /// Changes the answer, after what it says has been committed.
    package var edit: (@Sendable (inout WireResponse) -> Void)?
    /// Waited for when all is committed and before the first byte is sent.
    package var holdAnswer: Gate?
    package var delivery = Delivery.whole

    /// Ordinary behaviour.
    package init() {}
}

extension Behaviour {
    /// Ordinary behaviour; of use in the middle of a script.
    package static var ordinary: Self { Self() }

    /// Answers this and does nothing.
    package static func answer(_ response: WireResponse) -> Self {
        var behaviour = Self()
        behaviour.replacement = response
        return behaviour
    }

    /// Does nothing until `gate` opens, then behaves.
    package static func hang(until gate: Gate) -> Self {
        var behaviour = Self()
        behaviour.holdRequest = gate
        return behaviour
    }

    /// Commits, then sends nothing until `gate` opens.
    package static func commitAndHang(until gate: Gate) -> Self {
        var behaviour = Self()
        behaviour.holdAnswer = gate
        return behaviour
    }

    /// Closes the connection without having looked at the request.
    package static var closeBeforeCommit: Self {
        var behaviour = Self()
        behaviour.closesBeforeCommit = true
        return behaviour
    }

    /// Commits and closes the connection without an answer: a rotated token is lost on the way.
    package static func closeAfterCommit(reset: Bool = false) -> Self { .delivered(.closed(reset: reset)) }

    /// Commits, sends half of the answer's body and closes.
    package static var halfBody: Self { .delivered(.half) }

    /// Sends these bytes and closes; what the request asked for is committed.
    package static func raw(_ text: String) -> Self { .delivered(.raw(Array(text.utf8))) }

    /// Behaves, but for the way in which the answer is sent.
    package static func delivered(_ delivery: Delivery) -> Self {
        var behaviour = Self()
        behaviour.delivery = delivery
        return behaviour
    }

    /// Changes the answer before it is sent.
    package static func editing(_ edit: @escaping @Sendable (inout WireResponse) -> Void) -> Self {
        var behaviour = Self()
        behaviour.edit = edit
        return behaviour
    }

    /// Changes members of a JSON answer.
    package static func editingJSON(_ edit: @escaping @Sendable (inout JSONObject) -> Void) -> Self {
        .editing { response in
            guard case .object(var object)? = try? JSONReader().read(response.body) else { return }
            edit(&object)
            response.body = JSONWriter.bytes(.object(object))
        }
    }

    /// Changes the parameters of the redirect back to the client.
    package static func editingRedirect(_ edit: @escaping @Sendable (inout WireParameters) -> Void) -> Self {
        var behaviour = Self()
        behaviour.editRedirect = edit
        return behaviour
    }

    /// Changes the ID token before it is signed.
    package static func editingIDToken(_ edit: @escaping @Sendable (inout IDTokenDraft) -> Void) -> Self {
        var behaviour = Self()
        behaviour.editIDToken = edit
        return behaviour
    }

    /// An HTML page with status 200, as a captive portal gives it to every request.
    package static var captivePortal: Self {
        .answer(.html("<!doctype html><title>Welcome</title><p>Accept our terms to go on-line."))
    }
}

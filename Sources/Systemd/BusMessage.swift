// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd

/// A method call: the peer, the method, and the arguments.
package struct BusCall: Sendable, Equatable {
    /// The peer: a well-known or a unique name.
    package var destination: String
    /// The object.
    package var path: String
    /// The interface of `member`.
    package var interface: String
    /// The method.
    package var member: String
    /// The arguments.
    package var arguments: [BusValue]
    /// Whether the bus may start the peer.
    package var startsPeer: Bool

    /// A call; by default without arguments, and of a peer that the bus may start.
    package init(
        _ destination: String,
        path: String,
        interface: String,
        member: String,
        arguments: [BusValue] = [],
        startsPeer: Bool = true
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.startsPeer = startsPeer
    }
}

/// A received signal: its sender, its name and its arguments.
package struct BusSignal: Sendable, Equatable {
    /// The unique name of the sender; empty for signals of the connection itself.
    package let sender: String
    /// The object.
    package let path: String
    /// The interface of `member`.
    package let interface: String
    /// The signal.
    package let member: String
    /// The arguments.
    package let arguments: [BusValue]
}

extension BusSignal {
    /// Reads a message of sd-bus; nil if it has a value that `BusValue` does not support (a descriptor).
    init?(_ message: OpaquePointer) {
        func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
        guard let arguments = try? BusValue.readAll(of: message) else { return nil }
        self.init(
            sender: text(sd_bus_message_get_sender(message)),
            path: text(sd_bus_message_get_path(message)),
            interface: text(sd_bus_message_get_interface(message)),
            member: text(sd_bus_message_get_member(message)),
            arguments: arguments
        )
    }
}

/// A filter for signals: every member that is set must match.
package struct BusMatch: Sendable, Equatable {
    /// The sender: a well-known or a unique name.
    package var sender: String?
    /// The object.
    package var path: String?
    /// The object or any one below it; not together with `path`.
    package var pathNamespace: String?
    /// The interface of `member`.
    package var interface: String?
    /// The signal.
    package var member: String?
    /// The first argument, if it is a string.
    package var firstArgument: String?
    /// Whether to accept signals that are sent to this connection alone. The bus restricts broadcasts to the rule's
    /// sender, but delivers addressed signals from any sender, so the handler must check `BusSignal.sender`.
    package var takesAddressed = false

    /// A match of the given members; without any, of every signal.
    package init(
        sender: String? = nil,
        path: String? = nil,
        pathNamespace: String? = nil,
        interface: String? = nil,
        member: String? = nil,
        firstArgument: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.firstArgument = firstArgument
    }

    /// The rule in the bus's syntax (D-Bus Specification, "Match Rules").
    package var rule: String {
        let members = [
            ("sender", sender), ("path", path), ("path_namespace", pathNamespace), ("interface", interface),
            ("member", member), ("arg0", firstArgument),
        ]
        return members.reduce(into: "type='signal'") { rule, member in
            guard let value = member.1 else { return }
            // An apostrophe within quotes must be written outside them.
            let quoted = value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
            rule += ",\(member.0)='\(quoted)'"
        }
    }
}

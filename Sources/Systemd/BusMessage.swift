// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd

/// A method call to make: whom, what, and with which arguments.
package struct BusCall: Sendable, Equatable {
    /// The peer: a well-known or a unique name.
    package var destination: String
    /// The object.
    package var path: String
    /// The interface of `member`.
    package var interface: String
    /// The method.
    package var member: String
    /// What it is called with.
    package var arguments: [BusValue]
    /// Whether the bus may start the peer for it.
    package var startsPeer: Bool

    /// A call; without arguments, and of a peer that the bus may start, unless told otherwise.
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

/// A signal that came: from whom, about what, and what it carries.
package struct BusSignal: Sendable, Equatable {
    /// The unique name of the sender; empty for what the connection itself says.
    package let sender: String
    /// The object.
    package let path: String
    /// The interface of `member`.
    package let interface: String
    /// The signal.
    package let member: String
    /// What it carries.
    package let arguments: [BusValue]
}

extension BusSignal {
    /// Reads a message of sd-bus; nil when it carries what `BusValue` does not know (a descriptor).
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

/// Which signals one wants: every member that is given must agree.
package struct BusMatch: Sendable, Equatable {
    /// Who sends it: a well-known or a unique name.
    package var sender: String?
    /// The object.
    package var path: String?
    /// The object or any one below it; not together with `path`.
    package var pathNamespace: String?
    /// The interface of `member`.
    package var interface: String?
    /// The signal.
    package var member: String?
    /// The first argument, when it is a string.
    package var firstArgument: String?
    /// Whether signals count that are sent to this connection alone. The bus holds what it spreads to the rule's sender;
    /// what is addressed it passes on from whomever, so that the handler must look at `BusSignal.sender` then.
    package var takesAddressed = false

    /// A match of what is given; every signal, if nothing is.
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

    /// The rule as the bus reads it (D-Bus Specification, "Match Rules").
    package var rule: String {
        let members = [
            ("sender", sender), ("path", path), ("path_namespace", pathNamespace), ("interface", interface),
            ("member", member), ("arg0", firstArgument),
        ]
        return members.reduce(into: "type='signal'") { rule, member in
            guard let value = member.1 else { return }
            // Inside quotes an apostrophe is written outside of them.
            let quoted = value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
            rule += ",\(member.0)='\(quoted)'"
        }
    }
}

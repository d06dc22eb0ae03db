// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON

/// One member of a message: read and written from this one line.
package struct Member<Message: Sendable>: Sendable {
    /// A property of the message.
    package typealias Path<Value> = any WritableKeyPath<Message, Value> & Sendable

    /// Its name and its form.
    package let outline: MemberOutline
    let read: @Sendable (MemberReader, inout Message) throws(ProtocolError) -> Void
    let write: @Sendable (Message, inout JSONObject) -> Void

    /// A required member.
    package static func required<Value: WireValue>(
        _ name: String,
        _ path: Path<Value>,
        as form: WireForm<Value> = Value.form
    ) -> Self {
        Member(
            outline: MemberOutline(name, form, isRequired: true),
            read: { reader, message throws(ProtocolError) in
                message[keyPath: path] = try reader.required(reader.read(name, form), name)
            },
            write: { $1[name] = form.write($0[keyPath: path]) }
        )
    }

    /// A member that is absent without a value.
    package static func optional<Value: WireValue>(
        _ name: String,
        _ path: Path<Value?>,
        as form: WireForm<Value> = Value.form
    ) -> Self {
        Member(
            outline: MemberOutline(name, form, isRequired: false),
            read: { reader, message throws(ProtocolError) in message[keyPath: path] = try reader.read(name, form) },
            write: { message, object in
                if let value = message[keyPath: path] { object[name] = form.write(value) }
            }
        )
    }

    /// A member that is always written; if absent, it has the value of an empty message.
    package static func defaulted<Value: WireValue>(_ name: String, _ path: Path<Value>) -> Self {
        let form = Value.form
        return Member(
            outline: MemberOutline(name, form, isRequired: false),
            read: { reader, message throws(ProtocolError) in
                if let value = try reader.read(name, form) { message[keyPath: path] = value }
            },
            write: { $1[name] = form.write($0[keyPath: path]) }
        )
    }

    /// Members in an object of their own that belong to one message here. An optional object is absent if all its
    /// members are.
    package static func group(_ name: String, isRequired: Bool = true, _ members: [Member]) -> Self {
        var outline = MemberOutline(name, JSONObject.form, isRequired: isRequired)
        outline.inner = members.map(\.outline)
        return Member(
            outline: outline,
            read: { reader, message throws(ProtocolError) in
                var object = try reader.read(name, JSONObject.form)
                if isRequired { object = try reader.required(object, name) }
                guard let object else { return }
                let inner = reader.inside(object)
                for member in members {
                    do throws(ProtocolError) {
                        try member.read(inner, &message)
                    } catch {
                        guard inner.isTolerant else { throw error }
                    }
                }
            },
            write: { message, object in
                var inner: JSONObject = [:]
                for member in members { member.write(message, &inner) }
                if isRequired || !inner.isEmpty { object[name] = .object(inner) }
            }
        )
    }
}

extension Member where Message: WireMessage {
    /// A member that is absent if it has its value in an empty message: false, or an empty list.
    package static func unlessDefault<Value: Equatable>(
        _ name: String,
        _ path: Path<Value>,
        as form: WireForm<Value>
    ) -> Self {
        Member(
            outline: MemberOutline(name, form, isRequired: false),
            read: { reader, message throws(ProtocolError) in
                if let value = try reader.read(name, form) { message[keyPath: path] = value }
            },
            write: { message, object in
                let value = message[keyPath: path]
                if value != Message()[keyPath: path] { object[name] = form.write(value) }
            }
        )
    }

    /// The same in the usual form.
    package static func unlessDefault<Value: WireValue & Equatable>(_ name: String, _ path: Path<Value>) -> Self {
        unlessDefault(name, path, as: Value.form)
    }
}

/// The description of a member, for programs that describe messages, such as the fuzzer's dictionary.
package struct MemberOutline: Sendable {
    /// The name on the wire.
    package let name: String
    /// The required form of its value, as a fault describes it.
    package let expectation: String
    /// Whether it is required.
    package let isRequired: Bool
    /// The members of its object, or of each element of its list; empty for other forms.
    package fileprivate(set) var inner: [MemberOutline]

    init<Value>(_ name: String, _ form: WireForm<Value>, isRequired: Bool) {
        self.name = name
        expectation = form.expectation
        self.isRequired = isRequired
        inner = form.inner
    }
}

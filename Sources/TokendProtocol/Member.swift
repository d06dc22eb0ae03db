// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON

/// One member of a message: read and written from this one line.
package struct Member<Message: Sendable>: Sendable {
    /// A property of the message.
    package typealias Path<Value> = any WritableKeyPath<Message, Value> & Sendable

    /// Its name, and what it is.
    package let outline: MemberOutline
    let read: @Sendable (MemberReader, inout Message) throws(ProtocolError) -> Void
    let write: @Sendable (Message, inout JSONObject) -> Void

    /// A member that may not be absent.
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

    /// A member that is absent where there is no value.
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

    /// A member that is always written, and where it is absent has the value of an empty message.
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

    /// Members that stand in an object of their own, and here in one message. An object that is not required is absent
    /// where all its members are.
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
    /// A member that is absent where it would say what an empty message says: false, or nothing in a list.
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

/// What a member is, whatever its message: for those that describe messages, as the fuzzer's dictionary.
package struct MemberOutline: Sendable {
    /// The name on the wire.
    package let name: String
    /// What its value has to be, in a fault's words.
    package let expectation: String
    /// Whether it may not be absent.
    package let isRequired: Bool
    /// The members of the object that it is, or that each element of a list is; empty where it is another.
    package fileprivate(set) var inner: [MemberOutline]

    init<Value>(_ name: String, _ form: WireForm<Value>, isRequired: Bool) {
        self.name = name
        expectation = form.expectation
        self.isRequired = isRequired
        inner = form.inner
    }
}

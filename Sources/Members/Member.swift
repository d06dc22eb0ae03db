// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON

/// One member of a record: read and written from this one line.
package struct Member<Owner: Sendable>: Sendable {
    /// A property of the record.
    package typealias Path<Value> = any WritableKeyPath<Owner, Value> & Sendable

    /// Its name and its form.
    package let outline: MemberOutline
    /// Whether a stored record cannot be used where this member cannot.
    let isNeeded: Bool
    let read: @Sendable (MemberReader, inout Owner) throws(MemberFault) -> Void
    let write: @Sendable (Owner, inout JSONObject) -> Void

    private init(
        _ outline: MemberOutline,
        isNeeded: Bool,
        read: @escaping @Sendable (MemberReader, inout Owner) throws(MemberFault) -> Void,
        write: @escaping @Sendable (Owner, inout JSONObject) -> Void
    ) {
        self.outline = outline
        self.isNeeded = isNeeded
        self.read = read
        self.write = write
    }

    /// A required member.
    package static func required<Value: Sendable>(
        _ name: String,
        _ path: Path<Value>,
        as form: JSONForm<Value>
    ) -> Self {
        Member(
            MemberOutline(name, form, isRequired: true),
            isNeeded: true,
            read: { reader, owner throws(MemberFault) in
                owner[keyPath: path] = try reader.required(reader.read(name, form), name)
            },
            write: { $1[name] = form.write($0[keyPath: path]) }
        )
    }

    /// A member that is absent without a value.
    package static func optional<Value: Sendable>(
        _ name: String,
        _ path: Path<Value?>,
        as form: JSONForm<Value>
    ) -> Self {
        Member(
            MemberOutline(name, form, isRequired: false),
            isNeeded: false,
            read: { reader, owner throws(MemberFault) in owner[keyPath: path] = try reader.read(name, form) },
            write: { owner, object in
                if let value = owner[keyPath: path] { object[name] = form.write(value) }
            }
        )
    }

    /// A member that is always written, and where it is absent has the value of an empty record.
    ///
    /// - Parameter isNeeded: whether a stored record cannot be used where it is there and cannot be used.
    package static func defaulted<Value: Sendable>(
        _ name: String,
        _ path: Path<Value>,
        as form: JSONForm<Value>,
        isNeeded: Bool = false
    ) -> Self {
        Member(
            MemberOutline(name, form, isRequired: false),
            isNeeded: isNeeded,
            read: { reader, owner throws(MemberFault) in
                if let value = try reader.read(name, form) { owner[keyPath: path] = value }
            },
            write: { $1[name] = form.write($0[keyPath: path]) }
        )
    }

    /// Members that stand in an object of their own, and here in one record. An object that is not required is absent
    /// where all its members are.
    package static func group(_ name: String, isRequired: Bool = true, _ members: [Member]) -> Self {
        var outline = MemberOutline(name, JSONObject.form, isRequired: isRequired)
        outline.inner = members.map(\.outline)
        return Member(
            outline,
            isNeeded: isRequired,
            read: { reader, owner throws(MemberFault) in
                var object = try reader.read(name, JSONObject.form)
                if isRequired { object = try reader.required(object, name) }
                guard let object else { return }
                let inner = reader.inside(object)
                for member in members {
                    do throws(MemberFault) {
                        try member.read(inner, &owner)
                    } catch {
                        guard inner.isTolerant else { throw error }
                    }
                }
            },
            write: { owner, object in
                var inner: JSONObject = [:]
                for member in members { member.write(owner, &inner) }
                if isRequired || !inner.isEmpty { object[name] = .object(inner) }
            }
        )
    }
}

extension Member where Owner: Record {
    /// A member that is absent where it would say what an empty record says: false, or nothing in a list.
    package static func unlessDefault<Value: Equatable & Sendable>(
        _ name: String,
        _ path: Path<Value>,
        as form: JSONForm<Value>
    ) -> Self {
        Member(
            MemberOutline(name, form, isRequired: false),
            isNeeded: false,
            read: { reader, owner throws(MemberFault) in
                if let value = try reader.read(name, form) { owner[keyPath: path] = value }
            },
            write: { owner, object in
                let value = owner[keyPath: path]
                if value != Owner()[keyPath: path] { object[name] = form.write(value) }
            }
        )
    }
}

/// The same in the usual forms.
extension Member {
    /// A required member.
    package static func required<Value: JSONRepresentable>(_ name: String, _ path: Path<Value>) -> Self {
        required(name, path, as: Value.form)
    }

    /// A member that is absent without a value.
    package static func optional<Value: JSONRepresentable>(_ name: String, _ path: Path<Value?>) -> Self {
        optional(name, path, as: Value.form)
    }

    /// A member that is always written, and where it is absent has the value of an empty record.
    package static func defaulted<Value: JSONRepresentable>(_ name: String, _ path: Path<Value>) -> Self {
        defaulted(name, path, as: Value.form)
    }

    /// A member that is absent where it would say what an empty record says.
    package static func unlessDefault<Value: JSONRepresentable & Equatable>(_ name: String, _ path: Path<Value>) -> Self
    where Owner: Record {
        unlessDefault(name, path, as: Value.form)
    }
}

/// What a member is, whatever its record: for those that describe messages, as the fuzzer's dictionary.
package struct MemberOutline: Sendable {
    /// The name in JSON.
    package let name: String
    /// The required form of its value, as a fault describes it.
    package let expectation: String
    /// Whether it is required.
    package let isRequired: Bool
    /// The members of its object, or of each element of its list; empty for other forms.
    package fileprivate(set) var inner: [MemberOutline]

    init<Value>(_ name: String, _ form: JSONForm<Value>, isRequired: Bool) {
        self.name = name
        expectation = form.expectation
        self.isRequired = isRequired
        inner = form.inner
    }
}

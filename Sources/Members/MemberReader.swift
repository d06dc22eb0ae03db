// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// Reads the members of an object by their forms, and says which one is at fault. Members that nobody asks for are
/// ignored.
package struct MemberReader {
    private let object: JSONObject
    let isTolerant: Bool

    /// - Parameter isTolerant: whether a form gives as much of its value as is there.
    package init(_ object: JSONObject, isTolerant: Bool = false) {
        self.object = object
        self.isTolerant = isTolerant
    }

    /// Reads a nested object in the same way.
    func inside(_ object: JSONObject) -> MemberReader { MemberReader(object, isTolerant: isTolerant) }

    /// The value of a required member.
    func required<Value>(_ value: Value?, _ name: String) throws(MemberFault) -> Value {
        guard let value else { throw MemberFault(member: name, problem: "is missing") }
        return value
    }

    /// A member's value, or nil if it is absent.
    func read<Value>(_ name: String, _ form: JSONForm<Value>) throws(MemberFault) -> Value? {
        guard let json = object[name] else { return nil }
        guard let value = try isTolerant ? form.tolerate(json) : form.read(json) else {
            throw MemberFault(member: name, problem: "must be \(form.expectation)")
        }
        return value
    }
}

/// What is wrong with a member.
package struct MemberFault: Error, Equatable {
    /// Its name.
    package let member: String
    /// What is wrong, as words that follow the name: "is missing".
    package let problem: String
}

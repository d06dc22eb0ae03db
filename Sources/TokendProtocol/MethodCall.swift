// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members
package import StrictJSON

/// A method with its parameters and its result, for both ends of the socket.
package protocol MethodCall {
    /// The type of `params`.
    associatedtype Parameters: MethodParameters
    /// The type of `result`.
    associatedtype Result: MethodResult

    /// The method's name.
    static var method: Method { get }
}

/// The parameters of a method.
package protocol MethodParameters: WireMessage {}

extension MethodParameters {
    /// Reads `params`; a missing, unknown or ill-typed member is `invalid_params`, with its name.
    package init(params: JSONObject) throws(ProtocolError) {
        let names = Self.names
        // Names are lower-case ASCII, to which no other text is canonically equivalent: `==` is exact here.
        for member in params where !names.contains(member.name) {
            throw .unknownParameter(member.name, known: names)
        }
        do throws(MemberFault) {
            try self.init(reading: MemberReader(params))
        } catch {
            throw ProtocolError(inParameters: error)
        }
    }
}

/// The result of a method.
package protocol MethodResult: WireMessage {
    /// Appends the result's JSON.
    func append(to output: inout [UInt8])
}

extension MethodResult {
    /// Appends the result's JSON from its members.
    package func append(to output: inout [UInt8]) {
        JSONWriter.append(encoded(), to: &output)
    }
}

extension MethodCall {
    /// The request that calls this method.
    package static func request(_ parameters: Parameters, id: RawID?) -> RequestMessage {
        RequestMessage(method: method.rawValue, params: parameters.encoded(), id: id)
    }

    /// The result in a reply's outcome.
    package static func result(of reply: ReplyMessage) throws(ProtocolError) -> Result {
        guard let object = try reply.outcome.get().object else {
            throw ProtocolError(.internalError, "the daemon's result for \(method.rawValue) is not an object")
        }
        return try Result(json: object)
    }
}

/// The parameters of a method without any.
package struct NoParameters: MethodParameters {
    package init() {}

    package static let members: [Member<Self>] = []
}

/// The result of a method without members: `{}`.
package struct NoResult: MethodResult {
    package init() {}

    package static let members: [Member<Self>] = []
}

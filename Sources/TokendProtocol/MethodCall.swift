// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// A method with its parameters and its result: what both ends of the socket agree on.
package protocol MethodCall {
    /// What `params` holds.
    associatedtype Parameters: MethodParameters
    /// What `result` holds.
    associatedtype Result: MethodResult

    /// The method's name.
    static var method: Method { get }
}

/// The parameters of a method.
package protocol MethodParameters: Sendable, Equatable {
    /// The names of all members, as `hello` lists them.
    static var names: [String] { get }

    /// Reads `params`; a missing, unknown or ill-typed member is `invalid_params` and named.
    init(params: JSONObject) throws(ProtocolError)

    /// The members as a client sends them.
    func encoded() -> JSONObject
}

/// The result of a method. Reading one ignores members that this version does not know.
package protocol MethodResult: Sendable, Equatable {
    /// Reads the result; what breaks the protocol is an `internal_error` of the daemon that sent it.
    init(json: JSONObject) throws(ProtocolError)

    /// The members as the daemon sends them.
    func encoded() -> JSONObject

    /// Appends the result's JSON.
    func append(to output: inout [UInt8])
}

extension MethodResult {
    /// Appends the result's JSON by way of its members.
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

/// The parameters of a method that takes none.
package struct NoParameters: MethodParameters {
    package static let names: [String] = []

    /// No parameters.
    package init() {}

    package init(params: JSONObject) throws(ProtocolError) {
        _ = try MemberReader(parameters: params, names: Self.names)
    }

    package func encoded() -> JSONObject {
        [:]
    }
}

/// The result of a method that has nothing to tell: `{}`.
package struct NoResult: MethodResult {
    /// An empty result.
    package init() {}

    package init(json: JSONObject) throws(ProtocolError) {}

    package func encoded() -> JSONObject {
        [:]
    }
}

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
package protocol MethodParameters: WireMessage {}

extension MethodParameters {
    /// Reads `params`; a missing, unknown or ill-typed member is `invalid_params` and named.
    package init(params: JSONObject) throws(ProtocolError) {
        try self.init(reading: MemberReader(parameters: params, names: Self.names))
    }
}

/// The result of a method.
package protocol MethodResult: WireMessage {
    /// Appends the result's JSON.
    func append(to output: inout [UInt8])
}

extension MethodResult {
    /// Appends the result's JSON by way of its members.
    package func append(to output: inout [UInt8]) {
        JSONWriter.append(encoded(), to: &output)
    }
}

extension Method {
    /// The methods that are built, each with its messages.
    package static let calls: [any (MethodCall & SendableMetatype).Type] = [
        Hello.self, Status.self, TokenGet.self, LoginStart.self, LoginWait.self, LoginCheck.self, LoginComplete.self,
        LoginCancel.self, Logout.self, StoreUnlock.self, AccountList.self, AccountShow.self, AccountAdd.self,
        AccountSecret.self, AccountImport.self, AccountRefresh.self, AccountPause.self, AccountResume.self,
        AccountRemove.self, ProviderList.self, ProviderFetch.self, ConfigReload.self, Doctor.self,
        EventsSubscribe.self, PolicyList.self, PolicyRevoke.self, ConfirmAnswer.self,
    ]
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
    package init() {}

    package static let members: [Member<Self>] = []
}

/// The result of a method that has nothing to tell: `{}`.
package struct NoResult: MethodResult {
    package init() {}

    package static let members: [Member<Self>] = []
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON

extension FakeProvider {
    /// The endpoint for pushed authorization requests (RFC 9126, section 2).
    func push(_ request: WireRequest) -> WireResponse {
        if case .failure(let refusal) = checkClient(request, .pushedAuthorization) { return refusal.response }
        let parameters = request.formParameters
        guard parameters["request_uri"] == nil, parameters["client_id"] != nil else {
            note(.pushedRequest, .pushedAuthorization, "request_uri or no client_id")
            return .oauthError("invalid_request")
        }
        let name = withState { state in
            let name = "urn:ietf:params:oauth:request_uri:\(UInt64.random(in: 0 ... .max))"
            state.pushed[name] = parameters
            return name
        }
        var response = WireResponse.json(["request_uri": .string(name), "expires_in": 60])
        response.status = 201
        return response
    }

    /// The parameters of an authorization request, whichever way they came; a pushed request serves one browser. Nil for
    /// a name that is not known, and noted where the request is not one that RFC 9126, section 4, has.
    func carried(by request: WireRequest) -> WireParameters? {
        let query = request.queryParameters
        guard let name = query["request_uri"] else {
            if settings.pushedRequests == .required { note(.pushedRequest, .authorize, "not pushed") }
            return query
        }
        if Set(query.pairs.map(\.name)) != ["client_id", "request_uri"] {
            note(.pushedRequest, .authorize, "more than the name")
        }
        let pushed = withState { $0.pushed.removeValue(forKey: name) }
        guard pushed?["client_id"] == query["client_id"] else {
            note(.pushedRequest, .authorize, "another client")
            return nil
        }
        return pushed
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import JOSE
import OAuth
import Secrets
import StrictJSON
import Systemd

/// A provider: it signs users in, renews their tokens, and keeps to the standards unless its condition is another.
@LoopActor final class Provider {
    /// What becomes of a refresh token that was used.
    enum Rotation: CaseIterable {
        case none
        /// The one before is good for a while.
        case graced
        /// The one before is dead, and any client that presents it ends the grant.
        case strict
    }

    /// What an answer did besides being one.
    struct Answer {
        var response: HTTPResponse
        /// The refresh token in it, where a client can read it.
        var refreshToken: Book.RefreshToken?
        /// Until when nobody is to ask.
        var retryAt: Span?
    }

    struct Code {
        var account: String
        var scope: String
        var nonce: String?
    }

    static let grace: Span = .seconds(60)

    let host: String
    let rotation: Rotation
    let isOpenID: Bool
    /// Of an access token; nil: it says nothing.
    let life: Int64?
    var condition = Condition.well
    /// Until when it wants to be left alone, as the daemon of that number was told.
    var leftAlone: (daemon: Int, until: Span)?
    private let agenda: Agenda
    private let book: Book
    /// Told of each refresh token that it refuses because it has replaced it.
    var onRefusal: (@LoopActor (Book.RefreshToken) -> Void)?
    private var codes: [String: Code] = [:]
    private var codeCount = 0
    private var dice: Dice
    private var key: SigningKey?
    private var keyCount = 0

    init(host: String, agenda: Agenda, book: Book, dice: Dice) {
        var dice = dice
        self.host = host
        self.agenda = agenda
        self.book = book
        rotation = dice.pick(Rotation.allCases)
        isOpenID = dice.chance(15)
        life = dice.chance(90) ? dice.pick([3600, 3600, 3600, 3600, 3600, 3600, 7200, 1800, 600, 86_400]) : nil
        self.dice = dice
        if isOpenID { rotateKey() }
    }

    var origin: String { "https://\(host)" }

    /// Signs with another key from now on.
    func rotateKey() {
        keyCount += 1
        key = try? SigningKey.generate(.es256, keyID: "key-\(keyCount)")
    }

    /// A user approves the request that a browser brings.
    ///
    /// - Returns: the query of the redirect.
    func approve(_ parameters: FormParameters, account: String) -> String {
        codeCount += 1
        let code = "code-\(host)-\(codeCount)"
        codes[code] = Code(account: account, scope: parameters["scope"] ?? "", nonce: parameters["nonce"])
        var answer = FormParameters()
        answer.append("code", code)
        answer.append("state", parameters["state"] ?? "")
        return answer.encodedText()
    }

    // MARK: Requests

    func answer(_ request: HTTPRequest) -> Answer {
        switch request.url.path {
        case "/token": return token(request)
        case "/revoke": return revoke(request)
        case "/jwks":
            return Answer(response: .json(["keys": .array(key.map { [.object($0.publicJWK)] } ?? [])]))
        case "/.well-known/openid-configuration":
            return Answer(response: .json(metadata))
        default: return Answer(response: .json(["error": "not_found"], status: 404))
        }
    }

    private var metadata: JSONObject {
        [
            "issuer": .string(origin), "authorization_endpoint": .string(origin + "/authorize"),
            "token_endpoint": .string(origin + "/token"), "revocation_endpoint": .string(origin + "/revoke"),
            "jwks_uri": .string(origin + "/jwks"), "id_token_signing_alg_values_supported": ["ES256"],
            "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
        ]
    }

    private func revoke(_ request: HTTPRequest) -> Answer {
        if let refusal = condition.refusal(at: agenda.now) { return refusal }
        if let name = request.form["token"], let token = book.refreshToken(name) { token.grant.isAlive = false }
        return Answer(response: HTTPResponse(status: 200))
    }

    private func token(_ request: HTTPRequest) -> Answer {
        if let refusal = condition.refusal(at: agenda.now) { return refusal }
        let form = request.form
        switch form["grant_type"] {
        case "authorization_code":
            guard let code = codes.removeValue(forKey: form["code"] ?? "") else { return .error("invalid_grant") }
            let token = book.grant(account: code.account, scope: code.scope)
            return grant(token, form, nonce: code.nonce, isNew: true)
        case "refresh_token":
            guard let token = book.refreshToken(form["refresh_token"] ?? ""), token.grant.isAlive else {
                return .error("invalid_grant")
            }
            return renew(token, form)
        default: return .error("unsupported_grant_type")
        }
    }

    private func renew(_ token: Book.RefreshToken, _ form: FormParameters) -> Answer {
        guard let spentAt = token.spentAt, let successor = token.successor else {
            guard rotation != .none else { return grant(token, form, isNew: false) }
            let successor = book.refreshToken(of: token.grant)
            (token.spentAt, token.successor) = (agenda.now, successor)
            return grant(successor, form, isNew: true)
        }
        if rotation == .graced, agenda.now - spentAt <= Self.grace, successor.spentAt == nil {
            return grant(successor, form, isNew: true)
        }
        onRefusal?(token)
        if rotation == .strict { token.grant.isAlive = false }
        return .error("invalid_grant")
    }

    private func grant(
        _ token: Book.RefreshToken,
        _ form: FormParameters,
        nonce: String? = nil,
        isNew: Bool
    ) -> Answer {
        let scope = form["scope"] ?? token.grant.scope
        let access = book.accessToken(
            with: token,
            scope: scope,
            audience: form["audience"],
            at: agenda.now,
            life: life.map { .seconds($0) }
        )
        var object: JSONObject = ["access_token": .string(access.name), "token_type": "Bearer"]
        object["expires_in"] = life.map { .integer($0) }
        if isNew { object["refresh_token"] = .string(token.name) }
        if form["scope"] != nil { object["scope"] = .string(scope) }
        if isOpenID { object["id_token"] = idToken(of: token.grant, nonce).map { .string($0) } }
        return condition.shape(object, isNew ? token : nil, &dice)
    }

    private func idToken(of grant: Book.Grant, _ nonce: String?) -> String? {
        let now = Machine.epoch + agenda.now / .seconds(1)
        var claims: JSONObject = [
            "iss": .string(origin), "sub": .string("user of \(grant.account)"), "aud": "app", "iat": .integer(now),
            "exp": .integer(now + 3600),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        return try? key?.sign(claims: claims)
    }
}

extension Provider.Answer {
    static func error(_ code: String, status: Int = 400) -> Provider.Answer {
        Provider.Answer(response: .json(["error": .string(code)], status: status))
    }
}

extension HTTPRequest {
    /// What was posted, as a form.
    var form: FormParameters { FormParameters.decode(body?.reveal() ?? "") ?? FormParameters() }
}

extension HTTPResponse {
    static func json(_ object: JSONObject, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: ["Content-Type": "application/json"],
            body: JSONWriter.bytes(.object(object))
        )
    }
}

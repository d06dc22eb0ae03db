// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import Systemd
import TokendProtocol

extension RequestRouter {
    /// `account.secret`: a secret with which an account's client authenticates.
    func giveSecret(
        _ request: MethodRequest<AccountSecret, Account>
    ) throws(ProtocolError) -> MethodAnswer<NoResult> {
        let (parameters, account) = (request.parameters, request.subject)
        guard let kind = ClientSecretKind(rawValue: parameters.kind) else {
            throw .invalidParams(
                member: "kind",
                "“kind” \(ClosedWords.refusal(of: parameters.kind, among: AccountSecret.Parameters.kinds))"
            )
        }
        return .later { reply in
            self.expire(reply, parameters.timeout)
            reply.answer { () async throws(ProtocolError) in
                try await account.giveSecret(kind, parameters.value)
                return NoResult()
            }
        }
    }
}

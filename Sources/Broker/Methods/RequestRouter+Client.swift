// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import Systemd
import TokendProtocol

extension RequestRouter {
    /// `account.secret`: what an account's client authenticates with.
    func giveSecret(_ request: RequestMessage) throws(ProtocolError) -> Handling {
        let parameters = try AccountSecret.Parameters(params: request.params)
        let account = try broker.account(named: parameters.account)
        guard let kind = ClientSecretKind(rawValue: parameters.kind) else {
            throw .invalidParams(
                member: "kind",
                "“kind” \(ClosedWords.refusal(of: parameters.kind, among: AccountSecret.Parameters.kinds))"
            )
        }
        return .later { reply in
            self.expire(reply, parameters.timeout)
            Task.onLoop {
                do throws(ProtocolError) {
                    try await account.giveSecret(kind, parameters.value)
                    reply.succeed(NoResult())
                } catch {
                    reply.fail(error)
                }
            }
        }
    }

    /// `account.add` with a client secret: the secret goes to the store before the file is written, so that an account
    /// never stands there without what it was made with.
    func addAccount(
        _ parameters: AccountAdd.Parameters,
        secret: Secret
    ) -> Handling {
        let broker = broker
        return .later { reply in
            self.expire(reply, parameters.timeout)
            Task.onLoop {
                do throws(ProtocolError) {
                    let file = try await broker.writeAccount(
                        parameters.account,
                        config: parameters.config,
                        clientSecret: secret
                    )
                    reply.succeed(AccountAdd.Result(account: parameters.account, file: file))
                } catch {
                    reply.fail(error)
                }
            }
        }
    }
}

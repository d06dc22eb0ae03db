// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
import TokendProtocol

extension RequestRouter {
    /// `doctor`: what only the daemon can see, looked at now.
    func doctor(_ request: RequestMessage) throws(ProtocolError) -> Handling {
        let parameters = try Doctor.Parameters(params: request.params)
        let named = try parameters.account.map { name throws(ProtocolError) in [try broker.account(named: name)] }
        let accounts = named ?? broker.accountNames.compactMap { broker.accounts[$0] }
        let examination = Examination(broker: broker)
        return .later { reply in
            self.expire(reply, parameters.timeout)
            Task.onLoop {
                let checks = await examination.checks(of: accounts)
                guard parameters.trace == true else { return reply.succeed(Doctor.Result(checks: checks)) }
                var exchanges: [Doctor.Exchange] = []
                for account in accounts { exchanges += await account.trace() }
                reply.succeed(Doctor.Result(checks: checks, trace: exchanges))
            }
        }
    }
}

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
                reply.succeed(Doctor.Result(checks: await examination.checks(of: accounts)))
            }
        }
    }
}

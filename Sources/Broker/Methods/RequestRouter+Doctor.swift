// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
import TokendProtocol

extension RequestRouter {
    /// `doctor`: checks that only the daemon can make, made now.
    func doctor(_ request: MethodRequest<Doctor, Void>) async throws(ProtocolError) -> Doctor.Result {
        let named = try request.parameters.account.map { name throws(ProtocolError) in [try broker.account(named: name)]
        }
        let accounts = named ?? self.accounts(in: nil)
        let checks = await Examination(broker: broker).checks(of: accounts)
        guard request.parameters.trace == true else { return Doctor.Result(checks: checks) }
        var exchanges: [Doctor.Exchange] = []
        for account in accounts { exchanges += await account.trace() }
        return Doctor.Result(checks: checks, trace: exchanges)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TokendProtocol

extension Account {
    /// Keeps an answer for the plain requests to come, where the state is such that they get this token as long as it
    /// holds; with the next change of state it is gone.
    ///
    /// Not if the token's end is unknown: it is renewed as a precaution, and whether it is still trusted is the machine's
    /// to say, each time.
    func keepReady(_ result: TokenGet.Result, of token: HeldToken) {
        guard isOpenToAll, token.wholeLife != nil, !result.refreshed, context.fault == nil, !machine.isHeldBack,
            machine.record?.token == token
        else { return }
        readyToken = ReadyToken(result, of: token)
    }
}

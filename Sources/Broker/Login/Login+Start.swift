// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Systemd
import TokendProtocol

extension Login {
    /// A pushed request's name is good for one browser and for a short time, so each further one who asks gets a name of
    /// their own (RFC 9126, sections 2.2 and 4).
    func tellStart(_ start: Start, to starter: @escaping @LoopActor (Result<Start, ProtocolError>) -> Void) {
        guard let attempt, attempt.sent?.prepared.pushEndpoint != nil else { return starter(.success(start)) }
        Task.onLoop {
            do throws(ProtocolError) {
                var start = start
                start.authorizationURL = try await attempt.authorizationURL()
                starter(.success(start))
            } catch {
                starter(.failure(error))
            }
        }
    }
}

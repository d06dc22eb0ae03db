// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

extension TransportError {
    /// A request that is not sent at all.
    static func refused(_ message: String) -> TransportError {
        TransportError(code: .protocolViolation, message: message, mayHaveBeenSent: false)
    }

    static func cancelled(host: String, mayHaveBeenSent: Bool) -> TransportError {
        TransportError(
            code: .cancelled,
            message: "the request to \(host) was given up",
            mayHaveBeenSent: mayHaveBeenSent
        )
    }

    static func timedOut(host: String, after time: Duration, mayHaveBeenSent: Bool) -> TransportError {
        let allowed = time.components.seconds > 0 ? "\(time.components.seconds) s" : "the time allowed"
        let message =
            mayHaveBeenSent
            ? "\(host) did not answer within \(allowed)" : "no connection to \(host) came about within \(allowed)"
        return TransportError(code: .timeout, message: message, mayHaveBeenSent: mayHaveBeenSent)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Synchronization

/// Stories that several tests play.
extension StandInDaemon {
    static let started: JSONObject = [
        "login_id": "L1", "flow": "browser", "expires_at": 1_000_300,
        "authorization_url": "https://login.example.com/authorize?state=s",
        "start_url": "http://127.0.0.1:4711/start/x", "redirect_uri": "http://127.0.0.1:4711/callback",
    ]

    /// A store that is locked until `store.unlock`; then everything has this result.
    static func lockedUntilUnlocked(then result: JSONObject) throws -> StandInDaemon {
        let isOpen = Flag()
        return try StandInDaemon { request in
            if request.method == "store.unlock" {
                isOpen.raise()
                return .result(["state": "ready"])
            }
            return isOpen.isRaised ? .result(result) : .lockedStore()
        }
    }

    /// Nobody is signed in until `login.wait` was answered.
    static func signedOut(untilWaitedWith waited: JSONObject, token: JSONObject) throws -> StandInDaemon {
        let isIn = Flag()
        return try StandInDaemon { request in
            switch request.method {
            case "login.start": return .result(started)
            case "login.wait":
                isIn.raise()
                return .result(waited)
            default:
                guard isIn.isRaised else {
                    return .error("login_required", code: -32002, data: ["account": "work", "reason": "signed_out"])
                }
                return .result(token)
            }
        }
    }
}

/// Something that has happened or not.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { value.load(ordering: .sequentiallyConsistent) }

    /// True only for the first call.
    @discardableResult
    func raise() -> Bool {
        !value.exchange(true, ordering: .sequentiallyConsistent)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Stand {
    /// A device login that waits for its user.
    struct DeviceLogin {
        let id: String
        let userCode: String
        let page: String
        let pageWithCode: String?
        let interval: Int64
    }

    /// Starts a device login; the code is the test's own affair.
    func startDeviceLogin(_ account: String = "work") async throws -> DeviceLogin {
        let started = try await client.result("login.start", ["account": .string(account), "flow": "device"])
        return DeviceLogin(
            id: try #require(started["login_id"]?.string),
            userCode: try #require(started["user_code"]?.string),
            page: try #require(started["verification_uri"]?.string),
            pageWithCode: started["verification_uri_complete"]?.string,
            interval: try #require(started["interval"]?.int64)
        )
    }
}

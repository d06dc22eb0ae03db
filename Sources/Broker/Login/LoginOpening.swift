// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes

/// What the one who started a login is told, and no one else, once a person can go on with it.
package enum LoginOpening: Sendable {
    case browser(Login.Start)
    case device(DeviceStart)

    /// What a browser is to open.
    package var page: WebURL {
        switch self {
        case .browser(let start): start.authorizationURL
        case .device(let start): start.verificationURIComplete ?? start.verificationURI
        }
    }
}

extension Login {
    /// What a person needs for a login by way of a browser.
    package struct Start: Sendable {
        package var authorizationURL: WebURL
        package var redirectURI: String
    }
}

/// What a person needs for a device login (RFC 8628, section 3.3). The device code is no part of it.
package struct DeviceStart: Sendable {
    /// The account's issuer, whose page the person has to know it by (section 5.4).
    package var issuer: String
    package var userCode: String
    package var verificationURI: WebURL
    package var verificationURIComplete: WebURL?
    /// Seconds between two polls.
    package var interval: Int64
}

extension Login {
    /// What a browser login has told the one who started it; nil before that, and for a device login.
    package var start: Start? {
        if case .browser(let start) = opening { start } else { nil }
    }
}

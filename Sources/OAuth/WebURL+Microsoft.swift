// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes

extension WebURL {
    /// Whether it is a Microsoft sign-in: Entra in one of its clouds, Entra External ID or Azure AD B2C.
    package var isMicrosofts: Bool {
        Self.microsofts.contains(host) || Self.microsoftsCustomers.contains { host.hasSuffix($0) }
    }

    private static let microsofts: Set<String> = [
        "login.microsoftonline.com", "login.microsoft.com", "login.windows.net", "sts.windows.net",
        "login.microsoftonline.us", "sts.microsoftonline.us", "login.partner.microsoftonline.cn",
        "login.chinacloudapi.cn", "sts.chinacloudapi.cn", "login.microsoftonline.de", "login.live.com",
    ]

    /// Hosts with customers' own names.
    private static let microsoftsCustomers = [
        ".ciamlogin.com", ".b2clogin.com", ".ciamlogin.us", ".b2clogin.us", ".b2clogin.cn",
    ]
}

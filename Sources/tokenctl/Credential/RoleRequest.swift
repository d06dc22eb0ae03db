// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// The request to the Security Token Service that exchanges an ID token for an Amazon role's keys. Pure.
package struct RoleRequest: Sendable, Equatable {
    /// The service's URL: `https`, or this machine itself.
    package let endpoint: String
    private let role: String
    private let session: String
    private let duration: Int64?

    /// From the flags, else from AWS' own variables: `AWS_ROLE_ARN`, `AWS_ROLE_SESSION_NAME`, `AWS_REGION`,
    /// `AWS_DEFAULT_REGION` and `AWS_ENDPOINT_URL_STS`.
    package init(_ invocation: Invocation, environment: [String: String]) throws(TokenctlError) {
        func value(_ flag: Flag<String>, _ variables: String...) -> String? {
            invocation[flag] ?? variables.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        guard let role = value(.role, "AWS_ROLE_ARN") else {
            throw .usage(
                "which role? Name it as AWS does, with --role or AWS_ROLE_ARN",
                next: ["tokenctl credential aws --account work --role arn:aws:iam::123456789012:role/work"]
            )
        }
        guard role.hasPrefix("arn:"), (20...2048).contains(role.utf8.count) else {
            throw .usage("“\(TerminalText.sanitized(role, limit: 80))” is no role: that begins with arn:")
        }
        let session = value(.session, "AWS_ROLE_SESSION_NAME") ?? "tokend"
        guard Self.isSession(session) else {
            throw .usage("a session's name has 2 to 64 letters, digits and _=,.@+-")
        }
        self.role = role
        self.session = session
        duration = try invocation[.duration]
        endpoint = try Self.endpoint(
            value(.endpoint, "AWS_ENDPOINT_URL_STS"),
            region: value(.region, "AWS_REGION", "AWS_DEFAULT_REGION")
        )
    }

    /// The form to post; it contains the token.
    package func body(idToken: String) -> String {
        var form = [
            ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", role),
            ("RoleSessionName", session), ("WebIdentityToken", idToken),
        ]
        if let duration { form.append(("DurationSeconds", String(duration))) }
        return form.map { $0 + "=" + FormParameters.encode($1) }.joined(separator: "&")
    }

    private static func isSession(_ name: String) -> Bool {
        (2...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "_=,.@+-".utf8.contains(byte)
            }
    }

    private static func endpoint(_ named: String?, region: String?) throws(TokenctlError) -> String {
        if let named {
            guard CredentialHost(named) != nil else {
                throw .usage("“\(TerminalText.sanitized(named, limit: 80))” is no https URL, so no token goes there")
            }
            return named
        }
        guard let region else { return "https://sts.amazonaws.com/" }
        guard region.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }) else {
            throw .usage("“\(TerminalText.sanitized(region, limit: 40))” is no region, such as eu-central-1")
        }
        return "https://sts.\(region).amazonaws.com\(region.hasPrefix("cn-") ? ".cn" : "")/"
    }
}

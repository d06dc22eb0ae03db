// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
package import StrictJSON

/// The Security Token Service's answer, in XML, converted for a `credential_process`. Pure.
package struct RoleAnswer: Sendable {
    private let status: Int
    private let text: String

    /// An answer's status and body.
    package init(status: Int, body: [UInt8]) {
        self.status = status
        text = String(decoding: body, as: UTF8.self)
    }

    /// The keys, or the service's error.
    package func document() throws(TokenctlError) -> JSONObject {
        guard status == 200 else { throw refusal }
        guard let key = element("AccessKeyId"), let secret = element("SecretAccessKey"),
            let token = element("SessionToken"), let end = element("Expiration")
        else {
            throw TokenctlError(
                .providerError,
                exitCode: ExitCode.dataError,
                "the answer of AWS’ token service has no keys in it; is the endpoint right?"
            )
        }
        return [
            "Version": 1, "AccessKeyId": .string(key), "SecretAccessKey": .string(secret),
            "SessionToken": .string(token), "Expiration": .string(end),
        ]
    }

    private var refusal: TokenctlError {
        let code = element("Code").map { TerminalText.sanitized($0, limit: 80) }
        let message = element("Message").map { ": " + TerminalText.sanitized($0, limit: 300) } ?? ""
        let isPassing = status >= 500 || ["IDPCommunicationError", "Throttling"].contains(code)
        return TokenctlError(
            .providerError,
            exitCode: isPassing ? ExitCode.temporary : ExitCode.noPermission,
            "AWS’ token service refuses the role (\(code ?? "HTTP \(status)"))" + message,
            next: isPassing ? [] : ["at AWS: the role’s trust policy, and the account’s client ID as the audience"]
        )
    }

    /// The text of the first element of that name; nil if there is none, or if it contains other elements.
    private func element(_ name: String) -> String? {
        guard let start = text.firstRange(ofText: "<\(name)>"),
            let end = text[start.upperBound...].firstRange(ofText: "</\(name)>")
        else { return nil }
        let value = text[start.upperBound..<end.lowerBound]
        guard !value.contains("<") else { return nil }
        let entities = [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#x2F;", "/"), ("&amp;", "&"),
        ]
        return entities.reduce(String(value)) { $0.replacing(text: $1.0, with: $1.1) }
    }
}

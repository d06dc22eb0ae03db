// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
package import StrictJSON

/// kubectl's request to a credential plugin and the answer (client.authentication.k8s.io). Pure.
package struct ExecCredential: Sendable, Equatable {
    static let group = "client.authentication.k8s.io/"

    /// The version of kubectl's answer.
    package let apiVersion: String

    /// From `KUBERNETES_EXEC_INFO`; without it, as when a user tries it, version 1.
    package init(info: String?) throws(TokenctlError) {
        guard let info, !info.isEmpty else {
            apiVersion = Self.group + "v1"
            return
        }
        let version = (try? JSONReader().read(info))?.object?["apiVersion"]?.string ?? ""
        guard ["v1", "v1beta1"].map({ Self.group + $0 }).contains(version) else {
            throw TokenctlError(
                .input,
                exitCode: ExitCode.dataError,
                "kubectl wants its token as “\(TerminalText.sanitized(version, limit: 80))”, which is not known here",
                next: ["in its configuration: apiVersion: \(Self.group)v1"]
            )
        }
        apiVersion = version
    }

    /// The answer. `expiresAt`: unix seconds; without it kubectl keeps the token until the cluster refuses it.
    package func answer(token: String, expiresAt: Int64?) -> JSONObject {
        var status: JSONObject = ["token": .string(token)]
        status["expirationTimestamp"] = expiresAt.flatMap(Self.timestamp).map { .string($0) }
        return ["apiVersion": .string(apiVersion), "kind": "ExecCredential", "status": .object(status)]
    }

    /// RFC 3339 in UTC; nil for a year without exactly four digits.
    package static func timestamp(_ seconds: Int64) -> String? {
        var moment = time_t(seconds)
        var parts = tm()
        guard gmtime_r(&moment, &parts) != nil, (70...8099).contains(Int(parts.tm_year)) else {
            return nil
        }
        func padded(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        let day = "\(parts.tm_year + 1900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
        return day + "T\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))Z"
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// A real headless Chromium in which a page of another site tries what it can on a listener of this machine's.
package enum ChromiumHostile {
    /// - Parameters:
    ///   - listener: `http://127.0.0.1:PORT`.
    ///   - path: the redirect's.
    /// - Returns: what `scripts/lib/chromium-hostile` saw.
    package static func run(_ listener: String, path: String) async throws -> JSONObject {
        try MissingPrerequisite.require(program: "/usr/bin/chromium")
        try MissingPrerequisite.require(program: "/usr/bin/chromedriver")
        let finished = try await ChildProcess.run(
            TestVenv.program("python3"),
            [BuildProducts.source + "/scripts/lib/chromium-hostile", listener, path],
            environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8"],
            within: .seconds(240)
        )
        guard finished.status == .code(0), let seen = try JSONReader().read(finished.output).object else {
            throw ChildProcessError("Chromium: \(finished.status) \(finished.output) \(finished.errors)")
        }
        return seen
    }
}

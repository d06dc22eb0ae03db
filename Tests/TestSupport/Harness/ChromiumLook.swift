// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
package import StrictJSON

/// A real headless Chromium that looks at pages, on a light and on a dark desktop.
package enum ChromiumLook {
    /// Shows each page and keeps a picture of it, `NAME-light.png` and `NAME-dark.png` beside those of the sign-ins.
    ///
    /// - Parameter pages: their names and URLs.
    /// - Returns: what `scripts/lib/chromium-look` saw, light and dark for each page.
    package static func run(_ pages: [(name: String, url: String)]) async throws -> [JSONObject] {
        try MissingPrerequisite.require(program: "/usr/bin/chromium")
        try MissingPrerequisite.require(program: "/usr/bin/chromedriver")
        let folder = ChromiumSignIn.screenshots
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let finished = try await ChildProcess.run(
            TestVenv.program("python3"),
            [BuildProducts.source + "/scripts/lib/chromium-look", folder] + pages.map { "\($0.name)=\($0.url)" },
            environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8"],
            within: .seconds(240)
        )
        guard finished.status == .code(0), let seen = try JSONReader().read(finished.output).array else {
            throw ChildProcessError("Chromium: \(finished.status) \(finished.output) \(finished.errors)")
        }
        return seen.compactMap(\.object)
    }
}

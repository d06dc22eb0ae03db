// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON

/// A real headless Chromium that signs in at a provider's form, as a user would.
package enum ChromiumSignIn {
    /// What the browser showed at the end.
    package struct Landing: Sendable {
        package let url: String
        package let title: String
        package let text: String
        /// Whether anything on the page came from elsewhere, or a script ran.
        package let requests: [String]
    }

    /// Where the screenshots are kept: `NAME-form.png` and `NAME-done.png`.
    package static let screenshots = BuildProducts.source + "/.build/screenshots"

    /// Opens `url`, fills in the form, and returns the page that the browser ends on outside the provider.
    package static func run(
        _ url: String,
        name: String,
        username: String = "alice",
        password: String = "wonderland"
    ) async throws -> Landing {
        try MissingPrerequisite.require(program: "/usr/bin/chromium")
        try MissingPrerequisite.require(program: "/usr/bin/chromedriver")
        try FileManager.default.createDirectory(atPath: screenshots, withIntermediateDirectories: true)
        let finished = try await ChildProcess.run(
            TestVenv.program("python3"),
            [
                BuildProducts.source + "/scripts/lib/chromium-sign-in", url, username, password,
                "\(screenshots)/\(name)",
            ],
            environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8"],
            within: .seconds(120)
        )
        guard finished.status == .code(0), let object = try JSONReader().read(finished.output).object else {
            throw ChildProcessError("Chromium: \(finished.status) \(finished.output) \(finished.errors)")
        }
        return Landing(
            url: object["url"]?.string ?? "",
            title: object["title"]?.string ?? "",
            text: object["text"]?.string ?? "",
            requests: object["requests"]?.array?.compactMap(\.string) ?? []
        )
    }

    /// Opens `url` and fills in the form, in a browser that gives the provider's redirect at `scheme` to the desktop of
    /// that environment, as xdg-open finds it. The browser runs until its input is closed.
    package static func start(
        _ url: String,
        scheme: String,
        name: String,
        environment: [String: String],
        username: String = "alice",
        password: String = "wonderland"
    ) throws -> ChildProcess {
        try MissingPrerequisite.require(program: "/usr/bin/chromium")
        try MissingPrerequisite.require(program: "/usr/bin/chromedriver")
        try MissingPrerequisite.require(program: "/usr/bin/xdg-open")
        try FileManager.default.createDirectory(atPath: screenshots, withIntermediateDirectories: true)
        // xdg-open looks for handlers only where there is a display; a dead one is good enough.
        return try ChildProcess(
            TestVenv.program("python3"),
            [
                BuildProducts.source + "/scripts/lib/chromium-sign-in", url, username, password,
                "\(screenshots)/\(name)", scheme,
            ],
            environment: environment.merging(["DISPLAY": ":4711"]) { $1 },
            input: .pipe
        )
    }
}

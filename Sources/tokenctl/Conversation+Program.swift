// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension Conversation {
    /// The path of another program that a verb runs.
    ///
    /// - Throws: `input` where it is not installed, with the Debian package that has it.
    func program(_ name: String, of package: String? = nil) throws(TokenctlError) -> String {
        if let path = world.findProgram(name) { return path }
        throw TokenctlError(
            .input,
            exitCode: ExitCode.unavailable,
            "\(name) is not installed",
            next: ["apt install \(package ?? name)"]
        )
    }
}

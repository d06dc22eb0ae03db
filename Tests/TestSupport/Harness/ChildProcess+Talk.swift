// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension ChildProcess {
    /// Waits for a whole line of standard error that `matches`; it may have come already.
    package func talk(
        within limit: Duration = .seconds(30),
        where matches: @escaping @Sendable (String) -> Bool
    ) async throws -> String {
        let line = await record.wait(within: limit) { state in
            let text = String(decoding: state.errors, as: UTF8.self)
            return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .map(String.init).first(where: matches)
        }
        guard let line else { throw TimedOut("a line of \(name)'s talk; it said: \(errors)") }
        return line
    }
}

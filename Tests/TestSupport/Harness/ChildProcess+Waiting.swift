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
            return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).dropLast()
                .map(String.init).first(where: matches)
        }
        guard let line else { throw TimedOut("a line of \(name)'s talk; it said: \(errors)") }
        return line
    }

    /// Awaits `event`, and throws with what the program said where that ends first.
    package func whileRunning<Result: Sendable>(
        _ event: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup { group in
            group.addTask { try await event() }
            group.addTask {
                let status = try await self.exit(within: .seconds(600))
                throw ChildProcessError("\(self.name) ended too early: \(status) \(self.output) \(self.errors)")
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Runs blocking work on a thread of its own and awaits its result.
package func blocking<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DetachedThread.run { continuation.resume(with: Swift.Result { try body() }) }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import TokenClient
import TokendProtocol

/// Ends a sign-in in the daemon after Ctrl-C, so that none is left behind; a second Ctrl-C ends even that.
struct SignInCancellation {
    private let client: TokenClient
    private let interruption: Interruption
    private let signal: Int32

    /// Takes note of the signal that came.
    init(_ client: TokenClient, _ interruption: Interruption) {
        self.client = client
        self.interruption = interruption
        signal = interruption.take() ?? SIGINT
    }

    /// Cancels the sign-in of that id; the result is what `tokenctl` ends with.
    func cancel(_ id: String) -> TokenctlError {
        let parameters = LoginCancel.Parameters(loginID: id).encoded()
        do throws(TokenClientError) {
            _ = try client.call(
                .loginCancel,
                parameters,
                timeout: .seconds(5),
                watching: interruption.descriptor
            )
        } catch {
            return .interrupted(by: signal, "the sign-in is given up; in the daemon it ends by itself")
        }
        return .interrupted(by: signal, "the sign-in is cancelled")
    }

    /// As above, where the id is not known yet: its answer is waited for.
    func cancel(_ pending: TokenClient.PendingReply) -> TokenctlError {
        // A provider that is slow keeps nobody here: the daemon ends by itself what nobody waits for.
        let deadline = Deadline(in: .milliseconds(500))
        let arrival = try? client.wait(for: pending, until: deadline, watching: interruption.descriptor)
        guard case .reply(let reply) = arrival else { return .interrupted(by: signal, "the sign-in is given up") }
        let id = LoginStart.Result(tolerating: reply).loginID
        return id.isEmpty ? .interrupted(by: signal, "the sign-in is given up") : cancel(id)
    }
}

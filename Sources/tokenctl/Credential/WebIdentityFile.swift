// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TokendProtocol

/// A file with a valid ID token, for programs that read it repeatedly (`AWS_WEB_IDENTITY_TOKEN_FILE`): written at once,
/// and again before the token ends, as long as this runs.
package struct WebIdentityFile {
    private let context: CommandContext
    private let path: String

    init(_ context: CommandContext, path: String) {
        self.context = context
        self.path = path
    }

    /// Ends with a signal, or if the first token is unavailable. A later error is reported, and tried again: the file
    /// is valid until the token's end.
    func keep() throws(TokenctlError) {
        let interruption = context.takeOverSignals()
        var params = TokenGet.Parameters(account: context.invocation.account)
        params.application = "aws"
        var end = try write(params)
        context.console.say("The ID token is in \(TerminalText.sanitized(path)), kept fresh; Ctrl-C ends.")
        var isFailing = false
        while true {
            let pause = Self.pause(end: end, now: context.now, isFailing: isFailing)
            if let signal = interruption.wait(for: .seconds(pause)) {
                // A token that is no longer renewed is useless.
                unlink(path)
                throw .interrupted(by: signal, "the file is not kept any more, and is removed")
            }
            do throws(TokenctlError) {
                params.fresh = nil
                let known = end
                end = try write(params)
                if end == known {
                    params.fresh = true
                    end = try write(params)
                }
                isFailing = end != nil && end == known
            } catch {
                if error.code == .interrupted {
                    unlink(path)
                    throw error
                }
                if !isFailing {
                    context.console.say(ErrorText.line(error))
                    context.console.sayNext(error.next)
                }
                isFailing = true
            }
        }
    }

    /// How long to wait, in seconds: until five minutes before the token's end, but at least half of the rest, and
    /// never less than 3 s. Pure.
    package static func pause(end: Int64?, now: Int64, isFailing: Bool) -> Int64 {
        guard !isFailing else { return 30 }
        guard let end else { return 300 }
        let left = TimeLeft.seconds(until: end, from: now)
        return max(3, max(left - 300, left / 2))
    }

    private func write(_ params: TokenGet.Parameters) throws(TokenctlError) -> Int64? {
        let (token, end) = try context.idToken(params)
        try PlainFile(path).replace(withSecret: token)
        return end
    }
}

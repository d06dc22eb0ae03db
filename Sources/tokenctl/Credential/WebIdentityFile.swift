// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TokendProtocol

/// A file with an ID token in it that holds, for programs that read one again and again (`AWS_WEB_IDENTITY_TOKEN_FILE`):
/// written at once, and anew whenever the token has grown old, for as long as this runs.
package struct WebIdentityFile {
    private let context: CommandContext
    private let path: String

    init(_ context: CommandContext, path: String) {
        self.context = context
        self.path = path
    }

    /// Ends with a signal, or where the first token cannot be had. A fault later on is said, and tried again: until the
    /// token's end the file is still good.
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
                // A token that is not renewed any more is useless.
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

    /// Until when to wait, in seconds: five minutes before the token's end, but half of what is left at least, and never
    /// less than 3 s. Pure.
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

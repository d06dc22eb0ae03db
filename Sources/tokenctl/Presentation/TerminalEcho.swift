// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// Whether a terminal shows what is typed.
enum TerminalEcho {
    /// Runs the body with the echo of this terminal switched off; a descriptor that is no terminal is left alone.
    static func withoutEcho<Result>(on descriptor: Int32, _ body: () -> Result) -> Result {
        var before = termios()
        guard tcgetattr(descriptor, &before) == 0 else { return body() }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(descriptor, TCSAFLUSH, &silent)
        defer { tcsetattr(descriptor, TCSAFLUSH, &before) }
        return body()
    }
}

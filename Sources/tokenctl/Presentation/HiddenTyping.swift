// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A terminal that does not show what is typed, from the making of this value to `end()`; nothing on anything else.
struct HiddenTyping {
    private let descriptor: Int32
    private let before: termios?

    /// - Parameter takesLongLines: whether lines come byte by byte: otherwise the terminal cuts them at 4095 bytes, and
    ///   does not tell.
    init(_ descriptor: Int32, takesLongLines: Bool = false) {
        self.descriptor = descriptor
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else {
            before = nil
            return
        }
        before = settings
        settings.c_lflag &= ~tcflag_t(takesLongLines ? ECHO | ICANON : ECHO)
        tcsetattr(descriptor, TCSAFLUSH, &settings)
    }

    /// Whether there is a terminal that hides it.
    var isHidden: Bool { before != nil }

    /// Shows it again.
    func end() {
        guard var before else { return }
        tcsetattr(descriptor, TCSAFLUSH, &before)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A terminal that does not show what is typed, from the making of this value to `end()`; nothing on anything else.
struct HiddenTyping {
    private let descriptor: Int32
    private let before: termios?

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else {
            before = nil
            return
        }
        before = settings
        settings.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(descriptor, TCSAFLUSH, &settings)
    }

    /// Shows it again.
    func end() {
        guard var before else { return }
        tcsetattr(descriptor, TCSAFLUSH, &before)
    }
}

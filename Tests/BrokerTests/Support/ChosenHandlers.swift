// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

@testable import Broker

/// A desktop that opens the schemes that a test names.
@LoopActor final class ChosenHandlers: CallbackHandling {
    var schemes: Set<String> = []

    func hasHandler(for scheme: String) -> Bool { schemes.contains(scheme) }
}

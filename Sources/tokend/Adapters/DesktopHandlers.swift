// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Systemd
import TokendProtocol

/// Looks in the user's folders for the desktop files that `tokenctl callback --install` writes.
final class DesktopHandlers: CallbackHandling {
    private let environment: [String: String]

    init(environment: [String: String]) {
        self.environment = environment
    }

    func hasHandler(for scheme: String) -> Bool {
        let handler = CallbackHandler(scheme: scheme, environment: environment)
        return handler.opener { path in
            (try? RegularFile.bytes(of: path)).map { String(decoding: $0, as: UTF8.self) }
        } == handler.name
    }
}

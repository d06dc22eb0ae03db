// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Systemd

/// The desktop, as far as the broker needs it: whether a redirect to a private-use scheme arrives.
@LoopActor package protocol CallbackHandling: AnyObject, Sendable {
    /// Whether this user's desktop gives URLs of the scheme to `tokenctl callback`.
    func hasHandler(for scheme: String) -> Bool
}

/// A machine without a desktop.
package final class NoCallbackHandling: CallbackHandling {
    nonisolated package init() {}

    package func hasHandler(for scheme: String) -> Bool { false }
}

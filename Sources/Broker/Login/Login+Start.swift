// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes

extension Login {
    /// What the one who started it is told, and no one else.
    package struct Start: Sendable {
        package var authorizationURL: WebURL
        /// The listener's own page that leads there; nil for a way home without a listener.
        package var startURL: WebURL?
        package var redirectURI: String

        /// What a browser is to open: the short page where there is one, so that the long URL with the state is in no
        /// process list.
        package var page: WebURL { startURL ?? authorizationURL }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members

extension Doctor {
    /// One request to the provider and its answer, as lines for a user; without secrets.
    package struct Exchange: WireMessage {
        /// The method and the URL, without the values of its query.
        package var request = ""
        /// Whether it was sent, or only built.
        package var isSent = false
        /// The headers and the form's members; values that are or may be secret are `…`.
        package var sent: [String] = []
        /// The status, the headers, and the kind of body; or why there is none.
        package var received: [String] = []

        /// An exchange without an answer yet.
        package init(request: String, isSent: Bool, sent: [String] = [], received: [String] = []) {
            self.request = request
            self.isSent = isSent
            self.sent = sent
            self.received = received
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("request", \.request),
            .required("is_sent", \.isSent),
            .required("sent", \.sent),
            .required("received", \.received),
        ]
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

extension Doctor {
    /// One request to the provider and its answer, as lines for a user; no line has a secret in it.
    package struct Exchange: Sendable, Equatable {
        /// The method and the URL, without the values of its query.
        package var request: String
        /// Whether it was really sent, or only made.
        package var isSent: Bool
        /// The headers and the form's members; values that are secret, or may be, are `…`.
        package var sent: [String]
        /// The status, the headers, and what the body is; or why there is none.
        package var received: [String]

        /// An exchange that has no answer yet.
        package init(request: String, isSent: Bool, sent: [String] = [], received: [String] = []) {
            self.request = request
            self.isSent = isSent
            self.sent = sent
            self.received = received
        }

        package init(json: JSONObject) throws(ProtocolError) {
            let reader = MemberReader(result: json)
            request = try reader.required(reader.string("request"), "request")
            isSent = try reader.required(reader.flag("is_sent"), "is_sent")
            sent = try reader.required(reader.strings("sent"), "sent")
            received = try reader.required(reader.strings("received"), "received")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = ["request": .string(request), "is_sent": .bool(isSent)]
            object.set("sent", sent)
            object.set("received", received)
            return object
        }
    }
}

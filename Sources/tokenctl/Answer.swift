// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

/// A result of the daemon: as received, for `--json`, and typed. An absent or invalid member has its value in an empty
/// message: the rest is still shown.
@dynamicMemberLookup
struct Answer<Result: WireMessage> {
    let json: JSONObject
    let result: Result

    init(_ json: JSONObject) {
        self.json = json
        result = Result(tolerating: json)
    }

    subscript<Value>(dynamicMember path: KeyPath<Result, Value>) -> Value { result[keyPath: path] }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

/// A result of the daemon's: as it came, which `--json` prints, and by its declaration. A member that the daemon left
/// out, or that is not what it should be, is as in an empty message: what is there is still shown.
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

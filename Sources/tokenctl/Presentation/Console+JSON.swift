// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

extension Console {
    /// Prints one JSON document: compact for programs; spread out, and without characters that steer it, on a terminal.
    package func printJSON(_ value: JSONValue) {
        if traits.outputIsTerminal {
            print(TerminalText.escapedJSON(JSONWriter.pretty(value)))
        } else {
            print(String(decoding: JSONWriter.bytes(value), as: UTF8.self))
        }
    }
}

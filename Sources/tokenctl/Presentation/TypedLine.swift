// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// What the keys that edit a line do where the terminal does not do it itself. Pure.
struct TypedLine {
    /// Adds what was typed; false where the user ended the input (Ctrl-D on an empty line).
    func append(_ bytes: [UInt8], to line: inout [UInt8]) -> Bool {
        for byte in bytes {
            switch byte {
            case 0x04:
                guard let last = line.last, last != 0x0A else { return false }
            case 0x7F, 0x08:
                removeCharacter(&line)
            case 0x15:
                while let last = line.last, last != 0x0A { line.removeLast() }
            default:
                line.append(byte)
            }
        }
        return true
    }

    private func removeCharacter(_ line: inout [UInt8]) {
        while let last = line.last, last != 0x0A {
            line.removeLast()
            // The rest of a character in UTF-8.
            guard last & 0xC0 == 0x80 else { return }
        }
    }
}

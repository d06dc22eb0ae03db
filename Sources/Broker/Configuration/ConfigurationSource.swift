// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON
import TokendProtocol

/// A configuration file's text, kept so that faults can name lines.
package struct ConfigurationSource: Sendable, Equatable {
    /// The path as the user would open it.
    package let file: String
    package let bytes: [UInt8]
    /// In bytes: the most that a client can send at once.
    package static let limit = 256 * 1024

    package init(file: String, bytes: [UInt8]) {
        self.file = file
        self.bytes = bytes
    }

    /// The line of a byte offset, counted from 1.
    package func line(at offset: Int) -> Int64 {
        Int64(position(of: offset, in: bytes).line)
    }

    /// The file's one object, read as JSON5.
    ///
    /// - Throws: a fault that names the line where reading ended.
    package func object() throws(ConfigurationFaults) -> JSONObject {
        guard bytes.count <= Self.limit else {
            throw ConfigurationFaults([
                ConfigurationFault(file: file, message: "is larger than \(Self.limit >> 10) KiB")
            ])
        }
        let value: JSONValue
        do {
            value = try JSONReader(dialect: .json5).read(bytes)
        } catch {
            throw ConfigurationFaults([
                ConfigurationFault(file: file, line: line(at: error.offset), message: error.message)
            ])
        }
        guard let object = value.object else {
            throw ConfigurationFaults([
                ConfigurationFault(file: file, line: 1, message: "the file must hold one object: { … }")
            ])
        }
        return object
    }
}

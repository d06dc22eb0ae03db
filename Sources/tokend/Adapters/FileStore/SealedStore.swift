// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import JOSE
package import Secrets
import StrictJSON

/// The file of the file store as it lies on the disk: what is needed to make its key, in plain, and all the rest
/// sealed.
///
///     {"format":"tokend-store","version":1,
///      "kdf":{"name":"scrypt","n":131072,"r":8,"p":1,"salt":"…"},
///      "cipher":"AES-256-GCM","nonce":"…","data":"…"}
///
/// Bytes are in base64url. The seal covers the plain members too: none of them can be exchanged unseen.
package struct SealedStore: Sendable {
    /// Why this daemon cannot open a file.
    package enum Fault: Error, Equatable {
        /// Not a store file, or a damaged one.
        case notOurs
        /// Written by a later daemon.
        case newer(version: Int64)
        /// Deriving its key would cost too much, or is impossible.
        case unusableKey
    }

    /// The version that is written; the only one so far.
    package static let version: Int64 = 1
    /// The largest file that is read or written, in bytes.
    package static let sizeLimit = 16 << 20

    /// How the key is derived from the passphrase.
    package let scrypt: Scrypt
    private let nonce: [UInt8]
    private let data: [UInt8]

    /// Parses a file's content, which is not trusted.
    package init(_ content: [UInt8]) throws(Fault) {
        guard let object = (try? JSONReader(maximumDepth: 4).read(content))?.object,
            object["format"]?.string == Self.format, let version = object["version"]?.int64
        else {
            throw .notOurs
        }
        guard version == Self.version else { throw version > Self.version ? .newer(version: version) : .notOurs }
        guard object["cipher"]?.string == Self.cipher, let kdf = object["kdf"]?.object, kdf["name"] == "scrypt",
            let salt = Self.bytes(kdf["salt"]), let iterations = kdf["n"]?.int64, let blockSize = kdf["r"]?.int64,
            let parallelism = kdf["p"]?.int64, let nonce = Self.bytes(object["nonce"]),
            nonce.count == SealingKey.nonceCount, let data = Self.bytes(object["data"])
        else {
            throw .notOurs
        }
        let cost = Scrypt.Cost(
            iterations: Int(iterations),
            blockSize: Int(blockSize),
            parallelism: Int(parallelism)
        )
        guard let scrypt = try? Scrypt(cost, salt: salt) else { throw .unusableKey }
        (self.scrypt, self.nonce, self.data) = (scrypt, nonce, data)
    }

    /// Seals `plain`.
    ///
    /// - Parameters:
    ///   - scrypt: how `key` was derived; stored beside the sealed data.
    ///   - nonce: 12 fresh random bytes.
    package init(_ plain: Secret, key: SealingKey, scrypt: Scrypt, nonce: [UInt8]) throws(JOSEError) {
        self.scrypt = scrypt
        self.nonce = nonce
        data = try key.seal(plain, nonce: nonce, context: Self.context(scrypt))
    }

    /// The sealed data.
    ///
    /// - Throws: if the key is wrong, or the file has been changed.
    package func open(with key: SealingKey) throws(JOSEError) -> Secret {
        try key.open(data, nonce: nonce, context: Self.context(scrypt))
    }

    /// The content of the file.
    package var content: [UInt8] {
        var object = Self.header(scrypt)
        object["nonce"] = .string(Base64URL.encode(nonce))
        object["data"] = .string(Base64URL.encode(data))
        return JSONWriter.bytes(.object(object)) + [0x0A]
    }

    private static let format = "tokend-store"
    private static let cipher = "AES-256-GCM"

    /// The plain members as this daemon writes them, which the seal authenticates.
    private static func context(_ scrypt: Scrypt) -> [UInt8] {
        JSONWriter.bytes(.object(header(scrypt)))
    }

    private static func header(_ scrypt: Scrypt) -> JSONObject {
        let cost = scrypt.cost
        return [
            "format": .string(format), "version": .integer(version),
            "kdf": [
                "name": "scrypt", "n": .integer(Int64(cost.iterations)), "r": .integer(Int64(cost.blockSize)),
                "p": .integer(Int64(cost.parallelism)), "salt": .string(Base64URL.encode(scrypt.salt)),
            ],
            "cipher": .string(cipher),
        ]
    }

    private static func bytes(_ value: JSONValue?) -> [UInt8]? {
        value?.string.flatMap(Base64URL.decode)
    }
}

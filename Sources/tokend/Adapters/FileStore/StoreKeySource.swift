// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets

/// The source of the file store's key, if not a passphrase from the user.
package enum StoreKeySource: Sendable {
    /// A file of the user's.
    case file(PrivateFile)
    /// A credential from the service manager (`LoadCredential=`, systemd.exec(5)): `folder` is
    /// `$CREDENTIALS_DIRECTORY`, nil if unset.
    case credential(name: String, folder: String?)

    private static let limit = 65_536

    /// The content, without a final newline from an editor.
    ///
    /// - Parameters:
    ///   - store: the path of its store.
    ///   - isNew: whether there is no such store yet: then any key is accepted.
    func secret(of store: String, isNew: Bool) throws(PrivateFile.Fault) -> Secret {
        var bytes: [UInt8]
        switch self {
        case .file(let file):
            guard let content = try file.read(limit: Self.limit, mustBeClosed: true) else {
                throw PrivateFile.Fault(message: "the key file \(file.path) is not there; \(next(file, store, isNew))")
            }
            bytes = content
        case .credential(let name, let folder):
            guard let folder, let content = try PrivateFile("\(folder)/\(name)").readGiven(limit: Self.limit) else {
                throw PrivateFile.Fault(
                    message:
                        "the service manager has handed over no credential “\(name)”; have it do so, in a drop-in of "
                        + "tokend.service: LoadCredential=\(name):/PATH, and restart tokend"
                )
            }
            bytes = content
        }
        defer { bytes.wipe() }
        if bytes.last == 0x0A { bytes.removeLast() }
        guard !bytes.isEmpty else { throw PrivateFile.Fault(message: "\(noun) is empty") }
        return Secret(bytes: bytes)
    }

    private func next(_ file: PrivateFile, _ store: String, _ isNew: Bool) -> String {
        guard !isNew else {
            return "put it back, or make one with: (umask 077; openssl rand -base64 -out \(file.path) 32)"
        }
        return
            "nothing else opens this store; put the key file back from a copy, or, if there is none, move \(store) away, "
            + "make a new key file, and sign in again"
    }

    /// Its name, for a sentence.
    var noun: String {
        switch self {
        case .file(let file): "the key file \(file.path)"
        case .credential(let name, _): "the credential “\(name)”"
        }
    }
}

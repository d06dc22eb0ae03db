// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

extension Broker {
    /// Writes an account's file after checking it whole, and takes it over.
    ///
    /// - Returns: the file's path.
    /// - Throws: `config_invalid` with the first fault, and nothing is written.
    func writeAccount(_ name: String, config: JSONObject) throws(ProtocolError) -> String {
        let text = JSONWriter.pretty(.object(config)) + "\n"
        let file = ports.files.path(of: name)
        let source = ConfigurationSource(file: file, bytes: Array(text.utf8))
        do throws(ConfigurationFaults) {
            _ = try AccountConfiguration.read(
                name: name,
                source: source,
                presets: configuration.presets,
                digestOfFile: ports.files.digest(ofFile:)
            )
        } catch {
            throw error.list[0].protocolError
        }
        do throws(AccountFileError) {
            try ports.files.write(source.bytes, account: name)
        } catch {
            throw ProtocolError(.internalError, error.message)
        }
        reload()
        return file
    }

    /// Only a person's own file can be removed; an administrator's comes back.
    func checkRemovable(_ name: String) throws(ProtocolError) {
        guard let source = configuration.sources[name], source.file != ports.files.path(of: name) else { return }
        throw ProtocolError(
            .configInvalid,
            "“\(name)” is set up by the administrator in \(source.file); to sign out: tokenctl logout \(name)",
            data: ["file": .string(source.file)]
        )
    }

    /// Removes an account's file, and the account with it.
    func removeAccount(_ name: String) throws(ProtocolError) {
        do throws(AccountFileError) {
            try ports.files.remove(account: name)
        } catch {
            throw ProtocolError(.internalError, error.message)
        }
        reload()
    }
}

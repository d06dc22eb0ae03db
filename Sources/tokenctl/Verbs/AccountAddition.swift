// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Secrets
import StrictJSON
import TokendProtocol

/// Sends an account's draft to the daemon, with its client secret where there is one.
struct AccountAddition {
    private let conversation: Conversation

    init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    @discardableResult
    func add(_ draft: AccountDraft, replacing: Bool) throws(TokenctlError) -> JSONObject {
        var params = AccountAdd.Parameters(account: draft.account, config: draft.config)
        if replacing { params.replace = true }
        if let file = draft.clientSecretFile { params.clientSecret = try secret(in: file) }
        return try conversation.askOpeningStore(AccountAdd.self, params, account: draft.account)
    }

    private func secret(in file: String) throws(TokenctlError) -> Secret {
        let limit = 64 * 1024
        let bytes = file == "-" ? conversation.console.readAll(limit: limit) : Self.read(file, limit: limit)
        let shown = file == "-" ? "stdin" : TerminalText.sanitized(file)
        guard let bytes else {
            throw TokenctlError(.input, exitCode: ExitCode.noInput, "cannot read the client secret from \(shown)")
        }
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: true)
        guard lines.count == 1, let text = String(validating: lines[0], as: UTF8.self) else {
            throw TokenctlError(
                .input,
                exitCode: ExitCode.dataError,
                "\(shown) must hold the client secret on one line, alone"
            )
        }
        return Secret(text.last == "\r" ? String(text.dropLast()) : text)
    }

    private static func read(_ path: String, limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count < 0 {
                guard errno == EINTR else { return nil }
            } else {
                bytes += chunk.prefix(count)
            }
        }
        return nil
    }
}

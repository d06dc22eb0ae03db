// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import TokendProtocol

extension BlockTool {
    static let git = BlockTool(
        name: "git",
        kind: .git,
        file: { places in
            let own = places.home + "/.gitconfig"
            return places["GIT_CONFIG_GLOBAL"] ?? places.first([own, places.settings + "/git/config"], else: own)
        },
        asks: [
            // Without the flag the provider itself is the server.
            SetupQuestion(
                .host,
                such: "git.example.com",
                known: { $0.status.issuer.isEmpty ? nil : $0.status.issuer },
                put: { values, text throws(TokenctlError) in values.host = try gitOrigin(of: text) }
            )
        ],
        recipe: { values in
            let head = gitHead(values.host)
            let helper = "\(values.program) credential git --account \(values.account)"
            return Recipe(lines: [head, "\thelper =", "\thelper = !\(helper)"], head: head)
        },
        part: { text throws(TokenctlError) in gitHead(try gitOrigin(of: text)) }
    )

    private static func gitHead(_ origin: String) -> String { "[credential \"\(origin)\"]" }

    private static func gitOrigin(of text: String) throws(TokenctlError) -> String {
        guard let host = CredentialHost(text.contains(text: "://") ? text : "https://" + text) else {
            let shown = TerminalText.sanitized(text, limit: 80)
            throw .usage("“\(shown)” is no https server, so no token goes there")
        }
        return host.origin
    }
}

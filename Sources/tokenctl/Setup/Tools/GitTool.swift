// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import TokendProtocol

extension BlockTool {
    static let git = BlockTool(
        name: "git",
        file: { places in
            let own = places.home + "/.gitconfig"
            return places["GIT_CONFIG_GLOBAL"] ?? places.first([own, places.settings + "/git/config"], else: own)
        },
        asks: [
            // Without the flag the provider itself is the server.
            SetupQuestion(
                .host,
                such: "git.example.com",
                known: { $0.issuer.isEmpty ? nil : $0.issuer },
                put: { values, text throws(TokenctlError) in
                    guard let host = CredentialHost(text.contains(text: "://") ? text : "https://" + text) else {
                        let shown = TerminalText.sanitized(text, limit: 80)
                        throw .usage("“\(shown)” is no https server, so no token goes there")
                    }
                    values.host = host.origin
                }
            )
        ],
        recipe: { values in
            let head = "[credential \"\(values.host)\"]"
            let helper = "\(values.program) credential git --account \(values.account)"
            return Recipe(lines: [head, "\thelper =", "\thelper = !\(helper)"], head: head)
        }
    )
}

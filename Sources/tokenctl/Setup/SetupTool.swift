// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A program whose own file gets a few lines, so that it asks `tokenctl`.
package enum SetupTool: String, Sendable, CaseIterable {
    case git, docker, kubectl, aws, msmtp, neomutt, mbsync

    /// Its file, as the program itself looks for it; nil where there is no home, and for kubectl, which alone writes its.
    package func file(environment: [String: String]) -> String? {
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let settings = variable("XDG_CONFIG_HOME") ?? home + "/.config"
        func first(_ paths: [String], else other: String) -> String { paths.first { access($0, F_OK) == 0 } ?? other }
        switch self {
        case .git:
            if let named = variable("GIT_CONFIG_GLOBAL") { return named }
            return first([home + "/.gitconfig", settings + "/git/config"], else: home + "/.gitconfig")
        case .kubectl: return nil
        case .docker: return (variable("DOCKER_CONFIG") ?? home + "/.docker") + "/config.json"
        case .aws: return variable("AWS_CONFIG_FILE") ?? home + "/.aws/config"
        case .msmtp: return first([home + "/.msmtprc"], else: settings + "/msmtp/config")
        case .mbsync: return first([settings + "/isyncrc"], else: home + "/.mbsyncrc")
        case .neomutt:
            let own = settings + "/neomutt/neomuttrc"
            return first([own, home + "/.neomuttrc", settings + "/mutt/muttrc", home + "/.muttrc"], else: own)
        }
    }
}

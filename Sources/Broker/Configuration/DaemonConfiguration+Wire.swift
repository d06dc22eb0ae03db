// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension DaemonConfiguration.Wire {
    /// How requests are sent: the daemon's settings and the account's.
    func settings(of account: AccountConfiguration? = nil) -> WireSettings {
        WireSettings(
            authorities: [(caFile, caDigest), (account?.caFile, account?.caDigest)].compactMap { path, digest in
                guard let path, let digest else { return nil }
                return .init(path: path, digest: digest)
            },
            proxy: proxy,
            timeout: .seconds(timeout)
        )
    }
}

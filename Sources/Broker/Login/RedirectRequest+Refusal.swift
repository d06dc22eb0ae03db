// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

extension RedirectRequest {
    /// The status that refuses a request to no page of a login or a logout; nil: it is one of the pages.
    ///
    /// - Parameters:
    ///   - hosts: accepted `Host` fields.
    ///   - paths: those of the pages.
    ///   - formPath: that of a page that a form may be posted to.
    func refusal(hosts: Set<String>, paths: [String?], formPath: String? = nil) -> Int? {
        let named = headers.values(of: "Host")
        guard named.count == 1, hosts.contains(named[0].lowercased()) else { return 421 }
        guard paths.contains(path) else { return 404 }
        guard method == .get || (method == .post && path == formPath) else { return 405 }
        return isPrefetch ? 403 : nil
    }

    /// Browsers that prefetch must not use up one-time pages.
    private var isPrefetch: Bool {
        ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"].contains { name in
            headers.values(of: name).contains { value in
                ["prefetch", "prerender", "preview"].contains(where: value.lowercased().contains)
            }
        }
    }
}

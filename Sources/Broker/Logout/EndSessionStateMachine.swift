// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth

/// The meaning of a request to the listener of a logout at the provider: the browser is redirected once, and returns to
/// a page that says so. No token depends on it: they are gone before it begins.
struct EndSessionStateMachine: Sendable {
    private enum State: Sendable {
        /// Waits for a browser.
        case waiting
        /// Waits for the browser's return.
        case away
    }

    /// What the shell performs.
    enum Action: Sendable, Equatable {
        /// Answer this request, and go on.
        case answer(RedirectAnswer)
        /// Answer with a redirect to the provider, then wait for the return.
        case leadOn
        /// Answer with the last page; the listener can close.
        case showPage
    }

    /// The path that redirects to the provider, once; it cannot be guessed.
    let startPath: String
    /// The path that the provider redirects to; nil if it does not.
    private let returnPath: String?
    /// Accepted `Host` fields.
    private let hosts: Set<String>
    private var state = State.waiting

    /// - Parameter name: an unguessable name for the page that redirects.
    init(name: String, returnPath: String?, hosts: Set<String>) {
        startPath = "/sign-out/" + name
        self.returnPath = returnPath.map { $0.isEmpty ? "/" : $0 }
        self.hosts = hosts
    }

    /// A request arrived. Its parameters, such as `state`, are ignored: the session is over.
    mutating func received(_ request: RedirectRequest) -> Action {
        if let status = request.refusal(hosts: hosts, paths: [startPath, returnPath]) {
            return .answer(.refused(status: status))
        }
        switch state {
        case .waiting where request.path == startPath:
            state = .away
            return .leadOn
        case .away where request.path == returnPath:
            return .showPage
        case .waiting, .away:
            return .answer(.refused(status: 404))
        }
    }
}

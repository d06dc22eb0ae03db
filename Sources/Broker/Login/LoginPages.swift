// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

/// What a browser sees of a login: the listener, and the requests that wait for the login's end.
@LoopActor final class LoginPages {
    /// What a request, or an answer that came another way, means for the login.
    enum Arrival {
        /// It is none of this login's.
        case refused(status: Int)
        /// It is answered, or will be at the end.
        case handled
        /// The browser is to be led to the provider.
        case startWanted
        /// The code, once, and what came with it.
        case code(Secret, LoginMetadata?)
        /// The user or the provider said no, or a check failed.
        case failed(LoginFailure)
        /// The last page was shown, and the port is closed.
        case closed
    }

    private var machine: LoginStateMachine?
    private var listener: (any RedirectListener)?
    /// Where the listener is.
    private var origin: String?
    private var heldRequests: [@LoopActor (RedirectAnswer) -> Void] = []

    /// Opens the first usable redirect.
    func open(
        _ prepared: PreparedLogin,
        with redirects: any RedirectListening,
        handler: @escaping RedirectHandler
    ) throws(ProtocolError) -> OpenedLogin.Redirect {
        let (listener, redirect) = try prepared.listen(with: redirects, handler: handler)
        self.listener = listener
        origin = redirect.origin
        return redirect
    }

    /// From now on the answer to that request may come.
    func expect(_ opened: OpenedLogin) {
        machine = opened.stateMachine()
    }

    /// Where the listener's page is that leads to the provider.
    var startURL: WebURL? {
        guard let origin, let machine else { return nil }
        return try? WebURL(origin + machine.startPath)
    }

    /// Whether the parameters are the answer to this very login.
    func isAnswer(_ parameters: FormParameters) -> Bool { machine?.isAnswer(parameters) ?? false }

    /// What these parameters bring besides this login's code.
    func metadata(of parameters: FormParameters) -> LoginMetadata? { machine?.metadata(of: parameters) }

    /// Takes a request.
    func received(_ request: RedirectRequest, _ answer: @escaping @LoopActor (RedirectAnswer) -> Void) -> Arrival {
        guard let action = machine?.received(request) else { return .refused(status: 404) }
        switch action {
        case .answer(.refused(let status)): return .refused(status: status)
        case .answer(let reply): answer(reply)
        case .hold: heldRequests.append(answer)
        case .exchange(let code):
            heldRequests.append(answer)
            return .code(code, machine?.metadata)
        case .end(let failure):
            heldRequests.append(answer)
            return .failed(failure)
        case .showPage(let page):
            answer(page)
            close()
            return .closed
        case .leadOn: return .startWanted
        }
        return .handled
    }

    /// Takes an answer that did not come through the listener.
    ///
    /// - Parameter added: metadata from the caller who brings it.
    /// - Throws: where that is too much to keep; the login goes on.
    func completed(_ parameters: FormParameters, adding added: JSONObject?) throws(ProtocolError) -> Arrival {
        guard var machine else { return .handled }
        let action = machine.completed(parameters)
        let metadata = try LoginMetadata.joined(machine.metadata, added)
        self.machine = machine
        switch action {
        case .exchange(let code): return .code(code, metadata)
        case .end(let failure): return .failed(failure)
        case .answer, .hold, .showPage, .leadOn: return .handled
        }
    }

    /// The login has ended: the browsers that wait are sent to the last page.
    ///
    /// - Returns: whether one will fetch that; the port stays open for it.
    func end(with page: RedirectAnswer) -> Bool {
        machine?.ended(page: page)
        guard listener != nil, let machine, !heldRequests.isEmpty else {
            close()
            return false
        }
        for answer in heldRequests { answer(.seeOther(path: machine.pagePath)) }
        heldRequests = []
        return true
    }

    /// Closes the port at once.
    func close() {
        listener?.close()
        listener = nil
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

/// A login in the browser: the listener, and the requests that wait for the login's end.
@LoopActor final class LoginPages {
    /// The meaning of a request, or of an answer from elsewhere, for the login.
    enum Arrival {
        /// It is not for this login.
        case refused(status: Int)
        /// It is answered, or will be at the end.
        case handled
        /// The browser must be redirected to the provider.
        case startWanted
        /// The code, once, and the members besides it.
        case code(Secret, LoginMetadata?)
        /// The user or the provider refused, or a check failed.
        case failed(LoginFailure)
        /// The last page was shown, and the port is closed.
        case closed
    }

    private var machine: LoginStateMachine?
    private var listener: (any RedirectListener)?
    /// The listener's origin.
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

    /// From now on the answer to that request may arrive.
    func expect(_ opened: OpenedLogin) {
        machine = opened.stateMachine()
    }

    /// The listener's page that redirects to the provider.
    var startURL: WebURL? {
        guard let origin, let machine else { return nil }
        return try? WebURL(origin + machine.startPath)
    }

    /// Whether the parameters are the answer to this login.
    func isAnswer(_ parameters: FormParameters) -> Bool { machine?.isAnswer(parameters) ?? false }

    /// The members besides this login's code.
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
    /// - Parameter added: metadata from the caller.
    /// - Throws: if that is over the limit; the login continues.
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

    /// The login has ended: waiting browsers are redirected to the last page.
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import HTTP
import HTTPTypes
import OAuth
import Systemd

/// Listens for redirects with libmicrohttpd.
final class LoopbackRedirects: RedirectListening {
    private let loop: EventLoop
    private let log: any EventLog

    init(loop: EventLoop, log: any EventLog) {
        self.loop = loop
        self.log = log
    }

    func open(
        _ host: RedirectURI.LoopbackHost,
        port: Int?,
        handler: @escaping RedirectHandler
    ) throws(RedirectFault) -> any RedirectListener {
        let addresses: [LoopbackAddress] =
            switch host {
            case .ipv4: [.v4]
            case .ipv6: [.v6]
            case .localhost: [.v4, .v6]
            }
        do {
            let listener = try LoopbackListener(
                loop: loop,
                addresses: addresses,
                port: UInt16(port ?? 0),
                whenRefused: { [log] uid in log.record(.strangerRefused(uid: uid)) }
            ) { request, reply in
                let redirect = RedirectRequest(
                    method: request.method,
                    path: request.path,
                    query: request.query,
                    headers: request.headers,
                    body: request.body
                )
                let refusal = handler(redirect) { answer in reply.respond(answer) }
                if let refusal { reply.respond(.refused(status: refusal)) }
            }
            return OpenListener(listener)
        } catch {
            throw RedirectFault(message: error.message, isAddressMissing: error.code == .noAddress)
        }
    }
}

/// An open listener.
private final class OpenListener: RedirectListener {
    private let listener: LoopbackListener

    init(_ listener: LoopbackListener) {
        self.listener = listener
    }

    var port: Int { Int(listener.port) }

    var addresses: Set<RedirectURI.LoopbackHost> {
        Set(listener.addresses.map { address in address == .v4 ? .ipv4 : .ipv6 })
    }

    func close() {
        listener.close()
    }
}

extension ListenerReply {
    @LoopActor fileprivate func respond(_ answer: RedirectAnswer) {
        switch answer {
        case .seeOther(let path):
            redirect(to: path)
        case .leadOn(let url):
            redirect(to: url.text)
        case .signedIn(let account, let identity, let provider):
            respond(SignInPage.signedIn(account: account, identity: identity, provider: provider))
        case .denied(let account, let provider):
            respond(SignInPage.denied(account: account, provider: provider))
        case .signedOut(let account, let provider):
            respond(SignInPage.signedOut(account: account, provider: provider))
        case .failed(let account, let reason, let next, let command):
            respond(SignInPage.failed(account: account, reason: reason, nextStep: next, command: command))
        case .refused(let status):
            respond(SignInPage.notPartOfLogin(status: status))
        }
    }
}

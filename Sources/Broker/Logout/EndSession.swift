// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Systemd

/// One browser's visit to the provider's own logout: a listener that is open for a short time.
///
/// The browser is started with this listener's URL; the ID token is in the redirect from there, and so in no argument
/// of a program.
@LoopActor final class EndSession {
    /// How long the browser may take to arrive.
    private static let openFor: Duration = .seconds(60)
    /// How long the user may take at the provider.
    private static let awayFor: Duration = .seconds(120)

    private let account: String
    private let provider: String
    private let clock: any Clock
    private var machine: EndSessionStateMachine?
    private var destination: WebURL?
    private var listener: (any RedirectListener)?
    private var deadline: (any ScheduledTimer)?
    private var returns = false

    init(account: String, provider: String, clock: any Clock) {
        self.account = account
        self.provider = provider
        self.clock = clock
    }

    /// Opens the listener.
    ///
    /// - Parameters:
    ///   - request: the request without its return URI.
    ///   - returning: where the provider may redirect the browser afterwards, as registered there; nil: nowhere.
    /// - Returns: the URL for the browser.
    func open(
        _ request: EndSessionRequest,
        endpoint: WebURL,
        returning: RedirectURI?,
        redirects: any RedirectListening,
        entropy: any Entropy
    ) throws(EndSessionFault) -> WebURL {
        returns = returning != nil
        let (listener, host) = try listen(returning, redirects)
        self.listener = listener
        let machine = EndSessionStateMachine(
            name: UnguessableText.make(entropy: entropy.bytes(UnguessableText.entropyLength)),
            returnPath: returning?.url.path,
            hosts: LoginStateMachine.hosts(of: host, port: listener.port)
        )
        self.machine = machine
        var request = request
        request.redirectURI = returning?.text(port: listener.port)
        request.state = UnguessableText.make(entropy: entropy.bytes(UnguessableText.entropyLength))
        do {
            destination = try request.url(endpoint: endpoint)
            let url = try WebURL("http://\(host.rawValue):\(listener.port)\(machine.startPath)")
            close(after: Self.openFor)
            return url
        } catch {
            close()
            throw EndSessionFault(message: (error as? OAuthError)?.message ?? "its end-session endpoint cannot be used")
        }
    }

    private func listen(
        _ returning: RedirectURI?,
        _ redirects: any RedirectListening
    ) throws(EndSessionFault) -> (any RedirectListener, RedirectURI.LoopbackHost) {
        var candidates: [(RedirectURI.LoopbackHost, Int?)] = [(.ipv4, nil), (.ipv6, nil)]
        if case .loopback(let host, let port)? = returning?.kind { candidates = [(host, port)] }
        var faults: [String] = []
        for (host, port) in candidates {
            do throws(RedirectFault) {
                let listener = try redirects.open(host, port: port) { [weak self] request, answer in
                    guard let self else { return 404 }
                    return received(request, answer)
                }
                return (listener, host)
            } catch {
                faults.append(error.message)
            }
        }
        throw EndSessionFault(message: "no page for the browser could be opened: \(faults.joined(separator: "; "))")
    }

    /// Takes a request to this logout.
    ///
    /// - Returns: the status that refuses any other request.
    private func received(_ request: RedirectRequest, _ answer: @escaping @LoopActor (RedirectAnswer) -> Void) -> Int? {
        guard var machine else { return 404 }
        let action = machine.received(request)
        self.machine = machine
        switch action {
        case .answer(.refused(let status)):
            return status
        case .answer(let reply):
            answer(reply)
        case .leadOn:
            answer(destination.map { .leadOn($0) } ?? .refused(status: 404))
            destination = nil
            if returns { close(after: Self.awayFor) } else { close() }
        case .showPage:
            answer(.signedOut(account: account, provider: provider))
            close()
        }
        return nil
    }

    private func close(after time: Duration) {
        deadline?.cancel()
        deadline = clock.schedule(at: clock.now.boot.advanced(by: time), accuracy: .seconds(1)) { [weak self] in
            self?.close()
        }
    }

    /// Closes the port; answers that are under way are still delivered.
    func close() {
        deadline?.cancel()
        deadline = nil
        listener?.close()
        listener = nil
        machine = nil
        destination = nil
    }
}

/// Why the provider's logout cannot be offered.
struct EndSessionFault: Error {
    /// Half a sentence for a user.
    var message: String
}

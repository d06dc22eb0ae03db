// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import Systemd

/// The obligation to answer one request, once, now or later. Released unused, it answers 503.
@LoopActor package final class ListenerReply {
    private let exchange: ListenerExchange

    init(_ exchange: ListenerExchange) {
        self.exchange = exchange
    }

    isolated deinit {
        exchange.answer(HTTPResponse(status: 503), delivered: nil)
    }

    /// Answers; further calls do nothing, and neither does one for a client that is gone.
    /// - Parameter delivered: called on the loop when the last byte has been passed to the client's connection; never
    ///   if the connection breaks before.
    package func respond(_ response: HTTPResponse, delivered: (@LoopActor () -> Void)? = nil) {
        exchange.answer(response, delivered: delivered.map { call in { LoopActor.assumeIsolated { call() } } })
    }

    /// Answers with a page.
    package func respond(_ page: SignInPage, delivered: (@LoopActor () -> Void)? = nil) {
        respond(page.response, delivered: delivered)
    }

    /// Redirects the browser (303; RFC 9110, section 15.4.4): to a path of the same listener, so that the query with
    /// the code leaves the address bar and the history, or to a provider, without a referrer.
    package func redirect(to path: String) {
        respond(
            HTTPResponse(
                status: 303,
                headers: ["Location": path, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"]
            )
        )
    }
}

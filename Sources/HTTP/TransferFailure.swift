// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CCurl
import Glibc
import HTTPTypes

/// The facts about a failed transfer, and the resulting error: code, and a sentence for a user with host and reason.
/// Pure, so that the sentences can be tested without the failures.
struct TransferFailure {
    let code: CURLcode
    let host: String
    let mayHaveBeenSent: Bool

    /// Body or headers exceeded their limit.
    var isTooLarge = false
    /// curl's own message.
    var detail = ""
    /// The errno of the failed connect, or 0.
    var systemError: Int32 = 0
    /// The status of a proxy's answer to CONNECT, or 0.
    var proxyStatus = 0
    /// The certificate that failed, or else the server's: its subject and issuer.
    var subject = ""
    var issuer = ""
    /// Why OpenSSL refused the certificate.
    var certificateReason: String?

    init(code: CURLcode, host: String, mayHaveBeenSent: Bool) {
        self.code = code
        self.host = host
        self.mayHaveBeenSent = mayHaveBeenSent
    }

    /// The error.
    var error: TransportError {
        // curl's code for a header line above its own limit: out of memory, and too large from 8.6 on.
        let isAboveLimit = code == CURLE_OUT_OF_MEMORY || code == tokend_curl_too_large
        let isTooLarge = isTooLarge || (isAboveLimit && mayHaveBeenSent)
        let (code, message) = isTooLarge ? (.tooLarge, tooLarge) : proxyFailure ?? stepFailure ?? answerFailure
        return TransportError(code: code, message: message, mayHaveBeenSent: mayHaveBeenSent)
    }

    private typealias Finding = (TransportError.Code, String)

    private var tooLarge: String { "\(host) sent more than tokend reads (1 MiB, 64 KiB of it headers)" }

    private var proxyFailure: Finding? {
        if proxyStatus >= 300 {
            return (.proxy, "the proxy refused a connection to \(host) (HTTP status \(proxyStatus))")
        }
        switch code {
        case CURLE_COULDNT_RESOLVE_PROXY:
            return (.proxy, "the proxy for \(host) is not known: \(shown(detail))")
        case CURLE_PROXY:
            return (.proxy, "the proxy did not connect to \(host): \(shown(detail))")
        case CURLE_COULDNT_CONNECT:
            return proxyName.map { (.proxy, "cannot connect to the proxy \($0) for \(host): \(connectReason)") }
        default:
            return nil
        }
    }

    /// Failures before the request: name, connection, TLS.
    private var stepFailure: Finding? {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            (.resolve, "no address was found for \(host); check the name and the network connection")
        case CURLE_COULDNT_CONNECT:
            (.connect, "cannot connect to \(host): \(connectReason)")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
            (.tls, certificateMessage)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
            (.tls, "no secure connection to \(host): \(tlsReason)")
        case CURLE_OPERATION_TIMEDOUT where !mayHaveBeenSent:
            (.timeout, "no connection to \(host) came about in time")
        default:
            nil
        }
    }

    private var answerFailure: Finding {
        switch code {
        case CURLE_OPERATION_TIMEDOUT:
            (.timeout, "\(host) did not answer in time")
        case CURLE_GOT_NOTHING:
            (.interrupted, "\(host) closed the connection without an answer")
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE:
            (.interrupted, "the connection to \(host) broke before the answer was whole")
        case CURLE_BAD_CONTENT_ENCODING:
            (
                .encoding,
                "\(host) sent an answer whose compression (Content-Encoding) is unknown to tokend, or is broken"
            )
        case CURLE_FAILED_INIT, CURLE_OUT_OF_MEMORY:
            (.interrupted, "the exchange with \(host) could not be carried on: memory or descriptors are short")
        default:
            (.protocolViolation, "\(host) sent an answer that is not HTTP: \(shown(detail))")
        }
    }

    private var certificateMessage: String {
        guard !subject.isEmpty || !issuer.isEmpty else {
            return "the certificate of \(host) is not accepted: \(shown(detail))"
        }
        let which = "(\(shown(subject)), issued by \(shown(issuer)))"
        guard let certificateReason else {
            return "the certificate of \(host) is for another name \(which)"
        }
        let message = "the certificate of \(host) \(which) is not accepted: \(certificateReason)"
        guard isIssuerUnknown else { return message }
        return message + "; where a proxy inspects TLS, or the provider uses its own certificate authority, "
            + "install that authority's certificate in the system or name it in ca_file"
    }

    private var isIssuerUnknown: Bool {
        guard let certificateReason else { return false }
        return certificateReason.contains(text: "self-signed") || certificateReason.contains(text: "issuer certificate")
            || certificateReason.contains(text: "verify the first certificate")
    }

    private var connectReason: String {
        systemError != 0 ? String(cString: strerror(systemError)) : shown(detail)
    }

    /// OpenSSL's message without its number and the names of its parts.
    private var tlsReason: String {
        shown(detail.split(separator: ":").last.map(String.init) ?? detail)
    }

    /// The proxy's host, if curl reports that it connected to another host than the server.
    private var proxyName: String? {
        let start = "Failed to connect to "
        guard detail.hasPrefix(start), let name = detail.dropFirst(start.count).split(separator: " ").first else {
            return nil
        }
        let server = host.hasPrefix("[") ? host.dropFirst().prefix { $0 != "]" } : host.prefix { $0 != ":" }
        return name == server ? nil : shown(String(name))
    }

    private func shown(_ text: String) -> String {
        let text = DisplayText.sanitized(text)
        guard text.isEmpty else { return text }
        // curl reported no details: the name of its error code.
        return curl_easy_strerror(code).map { DisplayText.sanitized(String(cString: $0)) } ?? "error \(code.rawValue)"
    }
}

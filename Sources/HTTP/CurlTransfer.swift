// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CCurl
import Glibc
import HTTPTypes

/// One exchange on one curl easy handle: the request, and the answer so far.
///
/// The handle is freed with this object, which `CurlMulti` releases outside curl's callbacks only.
final class CurlTransfer {
    /// The largest body that is read, after decompression.
    static let bodyLimit = 1 << 20
    /// The most bytes of status lines and headers, interim answers included.
    static let headerLimit = 64 << 10

    /// curl's handle.
    let easy: UnsafeMutableRawPointer
    /// The server for messages: host, and port if one is given.
    let host: String

    private let body: WipedBytes
    private let headerList: HeaderList
    private let errorText: UnsafeMutablePointer<CChar>
    private let certificate: UnsafeMutablePointer<tokend_curl_certificate_note>

    private var headers = HTTPHeaders()
    private var headersAreComplete = false
    private var headerBytes = 0
    private var received: [UInt8] = []
    private var isTooLarge = false
    /// The connection is established, TLS included, and the first byte of the request may have been sent.
    private var hasBegun = false

    /// Prepares an exchange; nothing is sent.
    init(_ request: HTTPRequest, settings: TransportSettings) throws(TransportError) {
        host = request.url.authority
        guard request.url.scheme == "https" || (request.url.scheme == "http" && request.url.isLoopback) else {
            throw .refused(
                "\(request.url.origin) is not asked: https is needed, or http at a loopback address"
            )
        }
        guard let easy = curl_easy_init() else { throw .refused("the HTTP client has no memory left") }
        self.easy = easy
        body = WipedBytes(request.body)
        headerList = HeaderList(request)
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        certificate = .allocate(capacity: 1)
        certificate.initialize(to: tokend_curl_certificate_note())
        var options = CurlOptions(easy)
        options.set(request, body: body, headers: headerList)
        options.set(settings, isLoopback: request.url.isLoopback)
        options.set(CURLOPT_ERRORBUFFER, pointer: errorText)
        options.note(tokend_curl_watch_certificates(easy, certificate))
        setCallbacks(&options)
        guard options.areSet else { throw .refused("this libcurl lacks an option that tokend needs") }
    }

    deinit {
        curl_easy_cleanup(easy)
        errorText.deallocate()
        certificate.deallocate()
    }

    private func setCallbacks(_ options: inout CurlOptions) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        options.set(CURLOPT_WRITEDATA, pointer: context)
        options.set(CURLOPT_HEADERDATA, pointer: context)
        options.note(
            tokend_curl_set_data_function(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                CurlTransfer.from(context)?.take(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
            }
        )
        options.note(
            tokend_curl_set_data_function(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                CurlTransfer.from(context)?.takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
            }
        )
        options.note(
            tokend_curl_set_before_request(
                easy,
                { context, _, _, _, _ in
                    CurlTransfer.from(context)?.hasBegun = true
                    return CURL_PREREQFUNC_OK
                },
                context
            )
        )
    }
}

// curl's callbacks. Accepting less than all bytes ends the transfer.
extension CurlTransfer {
    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard received.count + bytes.count <= Self.bodyLimit else {
            isTooLarge = true
            return 0
        }
        received.append(contentsOf: bytes)
        return bytes.count
    }

    /// Takes one line: a status line, a field, or the empty line at the end. Trailers are ignored.
    private func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
        headerBytes += bytes.count
        guard headerBytes <= Self.headerLimit else {
            isTooLarge = true
            return 0
        }
        if bytes.starts(with: "HTTP/".utf8) {
            headers = HTTPHeaders()
            headersAreComplete = false
        } else if bytes.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) {
            headersAreComplete = true
        } else if !headersAreComplete, let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
            let (name, value) = (bytes[..<colon], bytes[(colon + 1)...])
            headers.append(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
        return bytes.count
    }
}

// The result.
extension CurlTransfer {
    /// The result for curl's final code.
    func result(_ code: CURLcode) -> Result<HTTPResponse, TransportError> {
        guard code == CURLE_OK else { return .failure(failure(code).error) }
        // curl treats an end within the headers as the end of an answer without a body.
        guard headersAreComplete else { return .failure(failure(CURLE_RECV_ERROR).error) }
        return .success(HTTPResponse(status: number(CURLINFO_RESPONSE_CODE), headers: headers, body: received))
    }

    /// The error for a cancelled caller.
    var cancelled: TransportError { .cancelled(host: host, mayHaveBeenSent: hasBegun) }

    /// The error for a timeout.
    func timedOut(after timeout: Duration) -> TransportError {
        .timedOut(host: host, after: timeout, mayHaveBeenSent: hasBegun)
    }

    private func failure(_ code: CURLcode) -> TransferFailure {
        var failure = TransferFailure(code: code, host: host, mayHaveBeenSent: hasBegun)
        failure.isTooLarge = isTooLarge
        failure.detail = String(cString: errorText)
        failure.systemError = Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO))
        failure.proxyStatus = number(CURLINFO_HTTP_CONNECTCODE)
        failure.subject = String(cString: tokend_curl_certificate_subject(certificate))
        failure.issuer = String(cString: tokend_curl_certificate_issuer(certificate))
        if certificate.pointee.error != 0 {
            failure.certificateReason = String(cString: tokend_curl_certificate_reason(certificate))
        }
        return failure
    }

    private func number(_ info: CURLINFO) -> Int {
        var value = 0
        tokend_curl_get_long(easy, info, &value)
        return value
    }
}

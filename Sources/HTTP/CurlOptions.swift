// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CCurl
import HTTPTypes

/// Sets the options of one easy handle, and records whether curl accepted them all.
struct CurlOptions {
    private let easy: UnsafeMutableRawPointer

    /// Whether every option was accepted.
    private(set) var areSet = true

    init(_ easy: UnsafeMutableRawPointer) {
        self.easy = easy
    }

    mutating func note(_ code: CURLcode) {
        areSet = areSet && code == CURLE_OK
    }

    mutating func set(_ option: CURLoption, _ value: Int) {
        note(tokend_curl_set_long(easy, option, value))
    }

    mutating func set(_ option: CURLoption, _ value: String?) {
        note(tokend_curl_set_string(easy, option, value))
    }

    /// The memory must outlive the transfer.
    mutating func set(_ option: CURLoption, pointer: UnsafeRawPointer?) {
        note(tokend_curl_set_pointer(easy, option, pointer))
    }
}

extension CurlOptions {
    /// The request's options; `body` and `headers` must outlive the transfer.
    mutating func set(_ request: HTTPRequest, body: WipedBytes, headers: HeaderList) {
        set(CURLOPT_URL, request.url.text)
        set(CURLOPT_PATH_AS_IS, 1)
        switch request.method {
        case .get: set(CURLOPT_HTTPGET, 1)
        case .head: set(CURLOPT_NOBODY, 1)
        case .post: set(CURLOPT_POST, 1)
        case .put, .delete, .options: break
        }
        if request.method == .post || request.body != nil {
            set(CURLOPT_POSTFIELDS, pointer: body.start)
            note(tokend_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
            // On a dead kept connection curl would send the request again by itself.
            set(CURLOPT_FRESH_CONNECT, 1)
            set(CURLOPT_FORBID_REUSE, 1)
        }
        if request.method != .head {
            set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        }
        note(tokend_curl_set_list(easy, CURLOPT_HTTPHEADER, headers.first))
    }

    /// The options that all requests of a transport share.
    mutating func set(_ settings: TransportSettings, isLoopback: Bool) {
        set(CURLOPT_NOSIGNAL, 1)
        // A hanging resolver is abandoned: waiting for it would block the loop.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate")
        set(CURLOPT_USERAGENT, settings.userAgent)
        set(CURLOPT_CONNECTTIMEOUT_MS, settings.connectTimeout.wholeMilliseconds)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        if isLoopback {
            set(CURLOPT_PROXY, "")
        } else if let proxy = settings.proxy {
            set(CURLOPT_PROXY, proxy.text)
        }
        setTrust(settings)
    }

    /// TLS 1.2 or later, and the trusted authorities; for the server and for an `https` proxy alike.
    private mutating func setTrust(_ settings: TransportSettings) {
        let trust = SystemTrust.current
        for option in [CURLOPT_SSLVERSION, CURLOPT_PROXY_SSLVERSION] {
            set(option, Int(CURL_SSLVERSION_TLSv1_2))
        }
        for option in [CURLOPT_SSL_VERIFYPEER, CURLOPT_PROXY_SSL_VERIFYPEER] {
            set(option, 1)
        }
        for option in [CURLOPT_SSL_VERIFYHOST, CURLOPT_PROXY_SSL_VERIFYHOST] {
            set(option, 2)
        }
        for option in [CURLOPT_CAPATH, CURLOPT_PROXY_CAPATH] {
            set(option, trust.directory)
        }
        for option in [CURLOPT_CAINFO, CURLOPT_PROXY_CAINFO] {
            set(option, trust.directory == nil ? trust.file : nil)
        }
        guard let certificates = settings.certificates else { return }
        let all = trust.adding(certificates)
        for option in [CURLOPT_CAINFO_BLOB, CURLOPT_PROXY_CAINFO_BLOB] {
            note(tokend_curl_set_blob(easy, option, all, all.count))
        }
    }
}

extension Duration {
    /// Whole milliseconds, at least one: to curl, 0 means its default.
    fileprivate var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return max(1, Int(clamping: seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The request methods in use (RFC 9110, section 9).
package enum HTTPMethod: String, Sendable, Hashable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
    case head = "HEAD"
    case options = "OPTIONS"
}

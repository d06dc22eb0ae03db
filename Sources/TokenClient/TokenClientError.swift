// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON
package import TokendProtocol

/// Why a request to the daemon has no result.
public struct TokenClientError: Error, Sendable, CustomStringConvertible {
    /// The kind of error. Open: a newer daemon's kinds decode to themselves, so compare with the ones you handle and
    /// treat all others alike.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// As the daemon writes it.
        public let rawValue: String

        /// Any text is accepted.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// One of the daemon's kinds.
        init(_ kind: ErrorKind) {
            rawValue = kind.rawValue
        }

        /// The daemon does not run; start it with `systemctl --user start tokend.socket`.
        public static let daemonAbsent = Code(rawValue: "daemon_absent")
        /// The listener on the socket is neither your user nor the named one; nothing was sent to it.
        public static let untrustedPeer = Code(rawValue: "untrusted_peer")
        /// The daemon does not allow this to this program.
        public static let notAllowed = Code(ErrorKind.notAllowed)
        /// The daemon went away before it answered, and the request may have been carried out.
        public static let connectionLost = Code(rawValue: "connection_lost")
        /// The daemon's answer does not follow the protocol.
        public static let protocolViolation = Code(rawValue: "protocol_violation")
        /// The timeout was reached, here or in the daemon.
        public static let timeout = Code(ErrorKind.timeout)
        /// The wait was cancelled on this side.
        public static let interrupted = Code(rawValue: "interrupted")
        /// There is no such account, or the account is ambiguous.
        public static let accountUnknown = Code(ErrorKind.accountUnknown)
        /// No user is signed in; a sign-in is needed.
        public static let loginRequired = Code(ErrorKind.loginRequired)
        /// No user is signed in, and a login waits for the user.
        public static let loginPending = Code(ErrorKind.loginPending)
        /// There is no pending sign-in with that id, or for that answer.
        public static let loginUnknown = Code(ErrorKind.loginUnknown)
        /// The secret store is locked.
        public static let storeLocked = Code(ErrorKind.storeLocked)
        /// The provider cannot be reached for now.
        public static let providerUnreachable = Code(ErrorKind.providerUnreachable)
    }

    /// The kind of error.
    public let code: Code
    /// One sentence for a user.
    public let message: String
    /// When to try again (unix seconds), if the daemon says so.
    public var retryAt: Int64? { ErrorDetails(tolerating: data).retryAt }
    /// The account that it is about, if the daemon says so.
    public var account: String? { ErrorDetails(tolerating: data).account }

    /// The errno of the failed system call, or 0.
    package let systemError: Int32
    /// The daemon's own error, if there is one.
    package let reply: ProtocolError?
    /// The daemon's error number as received.
    package let number: Int64?

    /// An error on this side.
    package init(_ code: Code, _ message: String, systemError: Int32 = 0) {
        self.code = code
        self.message = message
        self.systemError = systemError
        reply = nil
        number = nil
    }

    /// The daemon's error; `number` is its code as received.
    package init(reply: ProtocolError, number: Int64?) {
        code = Code(rawValue: reply.kind.rawValue)
        message = reply.message
        systemError = 0
        self.reply = reply
        self.number = number
    }

    /// The extra members of the daemon's error.
    package var data: JSONObject { reply?.data ?? [:] }

    /// The kind and the sentence.
    public var description: String { "\(code.rawValue): \(message)" }
}

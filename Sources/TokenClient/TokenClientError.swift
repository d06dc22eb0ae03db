// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON
package import TokendProtocol

/// Why a request to the daemon has no result.
public struct TokenClientError: Error, Sendable, CustomStringConvertible {
    /// The kind of fault. Open: a newer daemon's kinds decode to themselves, so compare with the ones you handle and
    /// treat all others alike.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// As the daemon writes it.
        public let rawValue: String

        /// Any text is a kind.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A kind of the daemon's.
        init(_ kind: ErrorKind) {
            rawValue = kind.rawValue
        }

        /// The daemon is not there; start it with `systemctl --user start tokend.socket`.
        public static let daemonAbsent = Code(rawValue: "daemon_absent")
        /// Who listens on the socket is not you, nor the user that you named; nothing was sent to them.
        public static let untrustedPeer = Code(rawValue: "untrusted_peer")
        /// The daemon does not serve this program, or not so much.
        public static let notAllowed = Code(ErrorKind.notAllowed)
        /// The daemon went away before it answered, and the request may have been carried out.
        public static let connectionLost = Code(rawValue: "connection_lost")
        /// The daemon's answer does not follow the protocol.
        public static let protocolViolation = Code(rawValue: "protocol_violation")
        /// The time ran out, here or in the daemon.
        public static let timeout = Code(ErrorKind.timeout)
        /// The waiting was given up on this side.
        public static let interrupted = Code(rawValue: "interrupted")
        /// No such account, or none or several where none was named.
        public static let accountUnknown = Code(ErrorKind.accountUnknown)
        /// Nobody is signed in; a user has to.
        public static let loginRequired = Code(ErrorKind.loginRequired)
        /// Nobody is signed in, and a login waits for its user.
        public static let loginPending = Code(ErrorKind.loginPending)
        /// No sign-in under way has that id, or that answer.
        public static let loginUnknown = Code(ErrorKind.loginUnknown)
        /// The secret store is locked.
        public static let storeLocked = Code(ErrorKind.storeLocked)
        /// The provider cannot be reached for now.
        public static let providerUnreachable = Code(ErrorKind.providerUnreachable)
    }

    /// The kind of fault.
    public let code: Code
    /// One sentence for a user.
    public let message: String
    /// When to try again (unix seconds), where the daemon says so.
    public var retryAt: Int64? { ErrorDetails(tolerating: data).retryAt }
    /// The account that it is about, where the daemon says so.
    public var account: String? { ErrorDetails(tolerating: data).account }

    /// The error number of the system call that failed; 0 where none did.
    package let systemError: Int32
    /// The daemon's own error, where it gave one.
    package let reply: ProtocolError?
    /// The daemon's number for it, as it came.
    package let number: Int64?

    /// A fault on this side.
    package init(_ code: Code, _ message: String, systemError: Int32 = 0) {
        self.code = code
        self.message = message
        self.systemError = systemError
        reply = nil
        number = nil
    }

    /// The daemon's error; `number` is its code as it came.
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

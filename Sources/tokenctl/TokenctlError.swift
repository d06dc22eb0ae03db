// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON
import TokenClient
package import TokendProtocol

/// Why `tokenctl` ends without having done what it was asked: what a user reads, what to do next, and the exit code.
package struct TokenctlError: Error, Sendable, Equatable {
    /// The kind of fault: one of these, or the daemon's `data.kind`.
    package struct Code: RawRepresentable, Sendable, Hashable {
        /// As `--json` prints it in `data.kind`.
        package let rawValue: String
        /// Any text is a code.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The code of an error of the protocol.
        package init(_ kind: ErrorKind) { rawValue = kind.rawValue }

        /// The command line was not understood.
        package static let usage = Code(rawValue: "usage")
        /// A signal ended it.
        package static let interrupted = Code(rawValue: "interrupted")
        /// A file or stdin cannot be read, or does not hold what it should.
        package static let input = Code(rawValue: "input")
        /// stdout takes no more.
        package static let output = Code(rawValue: "output")
        /// The secret store is locked.
        package static let storeLocked = Code(ErrorKind.storeLocked)
        /// No user is signed in.
        package static let loginRequired = Code(ErrorKind.loginRequired)
        /// Nobody is signed in yet: a login waits for its user.
        package static let loginPending = Code(ErrorKind.loginPending)
        /// There is no pending sign-in with that id, or for that answer.
        package static let loginUnknown = Code(ErrorKind.loginUnknown)
        /// The time ran out.
        package static let timeout = Code(ErrorKind.timeout)
        /// A file of the configuration has a fault.
        package static let configInvalid = Code(ErrorKind.configInvalid)
        /// There is an account of that name.
        package static let accountExists = Code(ErrorKind.accountExists)
        /// The daemon has no account of that name.
        package static let accountUnknown = Code(ErrorKind.accountUnknown)
        /// A parameter is missing, or is none that the daemon takes.
        package static let invalidParams = Code(ErrorKind.invalidParams)
        /// The daemon does not know the method.
        package static let methodNotFound = Code(ErrorKind.methodNotFound)
        /// The provider's answer cannot be used.
        package static let providerError = Code(ErrorKind.providerError)
        /// No daemon listens.
        package static let daemonAbsent = Code(rawValue: TokenClientError.Code.daemonAbsent.rawValue)
        /// Somebody else's program listens.
        package static let untrustedPeer = Code(rawValue: TokenClientError.Code.untrustedPeer.rawValue)
        /// The daemon went away before it answered.
        package static let connectionLost = Code(rawValue: TokenClientError.Code.connectionLost.rawValue)
    }

    /// The kind of error.
    package var code: Code
    /// What the program ends with.
    package var exitCode: Int32
    /// One sentence, safe for a terminal.
    package var message: String
    /// What was done all the same and stays, as a sentence; nil where nothing was.
    package var aftermath: String?
    /// Complete command lines (or sentences) that lead on; a command may have a remark behind it: `command   (remark)`.
    package var next: [String]
    /// The daemon's number for it.
    package var number: Int64?
    /// The extra members of the daemon's error.
    package var data: JSONObject = [:]

    /// The extra members, by their declaration.
    package var details: ErrorDetails { ErrorDetails(tolerating: data) }

    /// A fault of that kind.
    package init(_ code: Code, exitCode: Int32, _ message: String, next: [String] = []) {
        self.code = code
        self.exitCode = exitCode
        self.message = message
        self.next = next
    }

    /// The command line was not understood.
    package static func usage(_ message: String, next: [String] = []) -> TokenctlError {
        TokenctlError(.usage, exitCode: ExitCode.usage, message, next: next)
    }

    /// A signal ended it.
    package static func interrupted(by signal: Int32, _ message: String) -> TokenctlError {
        TokenctlError(.interrupted, exitCode: ExitCode.signal + signal, message)
    }

    /// What `--json` prints: the daemon's error as it came, or one of our own in the same form.
    package var json: JSONValue { .object(["error": member]) }

    /// The same without the object around it.
    var member: JSONValue {
        var members = data
        members["kind"] = .string(code.rawValue)
        return .object([
            "code": .integer(number ?? Int64(exitCode)), "message": .string(message), "data": .object(members),
        ])
    }
}

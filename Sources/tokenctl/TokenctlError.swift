// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// Why `tokenctl` ends without having done what it was asked: what a user reads, what to do next, and the exit code.
package struct TokenctlError: Error, Sendable, Equatable {
    /// The kind of fault: one of these, or the daemon's `data.kind`.
    package struct Code: RawRepresentable, Sendable, Hashable {
        /// As `--json` prints it in `data.kind`.
        package let rawValue: String
        /// Any text is a code.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The command line was not understood.
        package static let usage = Code(rawValue: "usage")
        /// A signal ended it.
        package static let interrupted = Code(rawValue: "interrupted")
        /// A file or stdin cannot be read, or does not hold what it should.
        package static let input = Code(rawValue: "input")
        /// stdout takes no more.
        package static let output = Code(rawValue: "output")
        /// The secret store is locked.
        package static let storeLocked = Code(rawValue: "store_locked")
        /// Nobody is signed in.
        package static let loginRequired = Code(rawValue: "login_required")
        /// Nobody is signed in yet: a login waits for its user.
        package static let loginPending = Code(rawValue: "login_pending")
        /// No sign-in under way has that id, or that answer.
        package static let loginUnknown = Code(rawValue: "login_unknown")
        /// The time ran out.
        package static let timeout = Code(rawValue: "timeout")
        /// There is an account of that name.
        package static let accountExists = Code(rawValue: "account_exists")
        /// The daemon has no account of that name.
        package static let accountUnknown = Code(rawValue: "account_unknown")
        /// A parameter is missing, or is none that the daemon takes.
        package static let invalidParams = Code(rawValue: "invalid_params")
        /// The daemon does not know the method.
        package static let methodNotFound = Code(rawValue: "method_not_found")
        /// The provider's answer cannot be used.
        package static let providerError = Code(rawValue: "provider_error")
        /// No daemon listens.
        package static let daemonAbsent = Code(rawValue: "daemon_absent")
        /// Somebody else's program listens.
        package static let untrustedPeer = Code(rawValue: "untrusted_peer")
        /// The daemon went away before it answered.
        package static let connectionLost = Code(rawValue: "connection_lost")
    }

    /// The kind of fault.
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
    package var json: JSONValue {
        var members = data
        members["kind"] = .string(code.rawValue)
        return .object([
            "error": .object([
                "code": .integer(number ?? Int64(exitCode)), "message": .string(message), "data": .object(members),
            ])
        ])
    }
}

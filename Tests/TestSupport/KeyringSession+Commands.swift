// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import Glibc

/// What a user or another program does to the keyring.
extension KeyringSession {
    /// The object path of gnome-keyring's default collection.
    package static let collection = "/org/freedesktop/secrets/collection/login"

    /// Runs a program in the session to its end.
    @discardableResult
    package func run(
        _ program: String,
        _ arguments: [String],
        input: ChildProcess.Input = .none,
        adding variables: [String: String] = [:],
        within limit: Duration = .seconds(20)
    ) async throws(ChildProcessError) -> ChildProcess.Finished {
        try await ChildProcess.run(
            program,
            arguments,
            environment: environment.merging(variables) { $1 },
            input: input,
            within: limit
        )
    }

    /// Locks the default collection, as a screen lock may.
    package func lockKeyring() async throws {
        try await call("org.freedesktop.Secret.Service.Lock", "['\(Self.collection)']")
    }

    /// Unlocks the default collection with its password, without a prompt.
    ///
    /// A second `gnome-keyring-daemon --unlock` does not do it: a few lines of Python (python3-gi) do.
    package func unlockKeyring() async throws {
        let program = BuildProducts.source + "/scripts/lib/unlock-keyring"
        let finished = try await run(program, [Self.collection], input: .text(Self.password))
        guard finished.status == .code(0) else { throw ChildProcessError("unlock: \(finished.errors)") }
    }

    /// Waits until somebody provides the Secret Service; starts nobody.
    package func waitForName() async throws {
        let finished = try await run("gdbus", ["wait", "--session", "--timeout", "15", Self.busName])
        guard finished.status == .code(0) else { throw ChildProcessError("no Secret Service: \(finished.errors)") }
    }

    /// Waits until nobody provides the Secret Service.
    package func waitForNameGone() async throws {
        while try await hasProvider() {}
    }

    /// Ends a provider that the bus has started, and waits for its end.
    func endActivatedKeyring() async throws {
        guard try await hasProvider() else { return }
        let answer = try await callBus("GetConnectionUnixProcessID")
        guard let processID = answer.split(whereSeparator: { !$0.isNumber }).last.flatMap({ Int32($0) }) else { return }
        kill(processID, SIGTERM)
        try await waitForNameGone()
    }

    /// Whether somebody provides the Secret Service.
    package func hasProvider() async throws -> Bool {
        try await callBus("NameHasOwner").contains("true")
    }

    private func callBus(_ method: String) async throws -> String {
        let finished = try await run(
            "gdbus",
            [
                "call", "--session", "-d", "org.freedesktop.DBus", "-o", "/org/freedesktop/DBus",
                "-m", "org.freedesktop.DBus.\(method)", Self.busName,
            ]
        )
        return finished.output
    }

    /// Calls a method of the Secret Service's root object; arguments in GVariant's text form.
    @discardableResult
    package func call(_ method: String, _ arguments: String...) async throws -> String {
        let finished = try await run(
            "gdbus",
            ["call", "--session", "-d", Self.busName, "-o", "/org/freedesktop/secrets", "-m", method] + arguments
        )
        guard finished.status == .code(0) else { throw ChildProcessError("\(method): \(finished.errors)") }
        return finished.output
    }
}

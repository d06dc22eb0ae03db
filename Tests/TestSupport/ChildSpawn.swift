// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import Glibc
internal import Synchronization

/// The system calls behind ``ChildProcess``.
enum ChildSpawn {
    struct Spawned {
        let processID: Int32
        let input: Int32?
        let output: Int32
        let errors: Int32
    }

    /// One at a time, so that no child inherits a pipe of its sibling (pipe2 does not import into Swift).
    private static let turn = Mutex(())

    static func spawn(
        _ program: String,
        _ arguments: [String],
        environment: [String: String],
        piped: Bool,
        descriptors: [Int32]
    ) throws(ChildProcessError) -> Spawned {
        let result = turn.withLock { _ in
            Result { () throws(ChildProcessError) in
                let input = piped ? try pipe() : (open("/dev/null", O_RDONLY | O_CLOEXEC), -1)
                let output = try pipe()
                let errors = try pipe()
                defer { [input.0, output.1, errors.1].forEach { close($0) } }
                let inherited = [input.0, output.1, errors.1] + descriptors
                do throws(ChildProcessError) {
                    let processID = try start(program, arguments, environment, inherited: inherited)
                    return Spawned(
                        processID: processID,
                        input: piped ? input.1 : nil,
                        output: output.0,
                        errors: errors.0
                    )
                } catch {
                    [input.1, output.0, errors.0].forEach { _ = $0 >= 0 ? close($0) : 0 }
                    throw error
                }
            }
        }
        return try result.get()
    }

    /// Writes all bytes, without SIGPIPE if nobody reads them.
    static func write(_ bytes: [UInt8], to descriptor: Int32?, closing: Bool) {
        guard let descriptor else { return }
        var pipeSignal = sigset_t()
        sigemptyset(&pipeSignal)
        sigaddset(&pipeSignal, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipeSignal, nil)
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written >= 0 || errno == EINTR else { break }
            rest = rest.dropFirst(max(written, 0))
        }
        if closing {
            close(descriptor)
        }
    }

    private static func pipe() throws(ChildProcessError) -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw ChildProcessError("no pipe for a child: errno \(errno)") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        return (ends[0], ends[1])
    }

    private static func start(
        _ program: String,
        _ arguments: [String],
        _ environment: [String: String],
        inherited: [Int32]
    ) throws(ChildProcessError) -> Int32 {
        // Above the numbers that the child gets, so that no dup2 overwrites a source of a later one.
        let sources = inherited.map { fcntl($0, F_DUPFD_CLOEXEC, 64) }
        defer { sources.forEach { close($0) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (target, source) in sources.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, source, Int32(target))
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        resetSignals(&attributes)
        // The program may be one of ours, built with the sanitizer that this is built with.
        let variables = Sanitizer.environment.merging(environment) { $1 }
        var processID = pid_t()
        let failure = withCStrings([program] + arguments) { argv in
            withCStrings(variables.map { "\($0.key)=\($0.value)" }.sorted()) { envp in
                posix_spawnp(&processID, program, &actions, &attributes, argv, envp)
            }
        }
        guard failure == 0 else {
            throw ChildProcessError("cannot start \(program): \(String(cString: strerror(failure)))")
        }
        return processID
    }

    private static func resetSignals(_ attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}

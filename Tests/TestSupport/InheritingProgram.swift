// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Glibc

/// Starts a program of the `PATH` that keeps `descriptor`; the caller waits for it.
package func startProgram(_ arguments: [String], keeping descriptor: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Onto itself: takes close-on-exec off in the child only.
    posix_spawn_file_actions_adddup2(&actions, descriptor, descriptor)
    // dbus-daemon complains of limits that it may not raise.
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    let vector = arguments.map { strdup($0) } + [nil]
    defer { for text in vector { free(text) } }
    var pid: pid_t = 0
    let result = posix_spawnp(&pid, arguments[0], &actions, nil, vector, environ)
    guard result == 0 else { throw SystemCallError("start \(arguments[0])", code: result) }
    return pid
}

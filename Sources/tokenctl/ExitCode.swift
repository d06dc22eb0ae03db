// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The exit codes that are not an error kind's own (sysexits.h); those are in `ErrorKind.exitCode`.
package enum ExitCode {
    /// Done.
    package static let success: Int32 = 0
    /// `status`: an account is not usable.
    package static let notUsable: Int32 = 1
    /// The command line was not understood.
    package static let usage: Int32 = 64
    /// What came in does not hold what it should.
    package static let dataError: Int32 = 65
    /// A file cannot be read.
    package static let noInput: Int32 = 66
    /// The daemon is not there.
    package static let unavailable: Int32 = 69
    /// The output could not be written.
    package static let inputOutput: Int32 = 74
    /// What listens does not speak the protocol.
    package static let protocolError: Int32 = 76
    /// A passing failure: try again later.
    package static let temporary: Int32 = 75
    /// Somebody has to allow it first.
    package static let noPermission: Int32 = 77
    /// The configuration has a fault.
    package static let configuration: Int32 = 78
    /// `exec`: the program is there and cannot be run, as env(1) and the shells have it.
    package static let notExecutable: Int32 = 126
    /// `exec`: there is no such program.
    package static let notFound: Int32 = 127
    /// A signal ended it: this and the signal's number.
    package static let signal: Int32 = 128
}

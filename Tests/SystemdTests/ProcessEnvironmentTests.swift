// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Systemd
import Testing

@Suite struct ProcessEnvironmentTests {
    @Test func `the variables are those that the process was started with`() throws {
        let variables = ProcessEnvironment.variables
        #expect(variables["PATH"] == getenv("PATH").map { String(cString: $0) })
        #expect(variables.keys.allSatisfy { !$0.isEmpty && !$0.contains("=") })
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing
import TokendProtocol

@Suite struct SocketPathTests {
    private func resolve(_ environment: [String: String], isOwn: Bool = true) throws(SocketPath.PathError) -> String {
        try SocketPath.resolve(environment: environment, uid: 1000) { $0 == "/run/user/1000" && isOwn }
    }

    @Test func `the variable of our own comes first`() throws {
        #expect(try resolve(["TOKEND_SOCKET": "/tmp/s", "XDG_RUNTIME_DIR": "/x"]) == "/tmp/s")
        #expect(try resolve(["TOKEND_SOCKET": "", "XDG_RUNTIME_DIR": "/x"]) == "/x/tokend/tokend.sock")
    }

    @Test func `the runtime folder comes next`() throws {
        #expect(try resolve(["XDG_RUNTIME_DIR": "/run/user/7/"]) == "/run/user/7/tokend/tokend.sock")
    }

    @Test(arguments: [[:], ["XDG_RUNTIME_DIR": ""], ["XDG_RUNTIME_DIR": "relative"]])
    func `without either the user's folder serves where it is ours`(_ environment: [String: String]) throws {
        #expect(try resolve(environment) == "/run/user/1000/tokend/tokend.sock")
        let error = #expect(throws: SocketPath.PathError.self) { try resolve(environment, isOwn: false) }
        #expect(error?.message.contains("XDG_RUNTIME_DIR") == true)
    }

    @Test func `a path that no socket can have is refused`() throws {
        let longest = "/" + String(repeating: "x", count: 106)
        #expect(try resolve(["TOKEND_SOCKET": longest]) == longest)
        #expect(throws: SocketPath.PathError.self) { try resolve(["TOKEND_SOCKET": longest + "x"]) }
        #expect(throws: SocketPath.PathError.self) { try resolve(["XDG_RUNTIME_DIR": longest]) }
    }
}

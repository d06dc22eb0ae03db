// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TokenClient

/// The program beside this one that makes QR codes: `tokenctl-qr`, which has the library.
struct QREncoder {
    private let world: Program.World

    init(_ world: Program.World) {
        self.world = world
    }

    /// The smallest code that holds the text; nil where none does, or that program is not there.
    func callAsFunction(_ text: String) -> QRCode? {
        guard let path else { return nil }
        var output: [UInt8] = []
        let program = PipedProgram(arguments: SystemText.list([path]), environment: world.variables)
        let code = program.run(input: Array(text.utf8), until: Deadline(in: .seconds(5))) { source, bytes in
            if source == .output { output += bytes }
        }
        return code == 0 ? QRCode(rows: String(decoding: output, as: UTF8.self)) : nil
    }

    /// Where an installation has it, or a build.
    private var path: String? {
        guard let own = world.ownPath(), let end = own.lastIndex(of: "/") else { return nil }
        return ["/../libexec/tokend/tokenctl-qr", "/tokenctl-qr"].map { own[..<end] + $0 }
            .first { access($0, X_OK) == 0 }
    }
}

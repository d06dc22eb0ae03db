// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FuzzTargets
import Glibc

#if FUZZING
    import CFuzzer
#endif

/// `fuzz TARGET [ARGUMENT…]`: feeds one target. `fuzz TARGET --dictionary` lists the words that its inputs are made of,
/// as libFuzzer reads them.
///
/// Built by `scripts/fuzz`, the arguments are libFuzzer's, which makes the inputs. In an ordinary build they are files,
/// each of which is read once.
@main
struct Fuzz {
    /// What libFuzzer calls has no context: the target is the program's.
    nonisolated(unsafe) private static var target = FuzzTarget.lines

    static func main() {
        guard CommandLine.argc > 1, let chosen = FuzzTarget(rawValue: CommandLine.arguments[1]) else {
            for target in FuzzTarget.allCases { print(target.rawValue) }
            exit(CommandLine.argc > 1 ? 64 : 0)
        }
        target = chosen
        if CommandLine.argc == 3, CommandLine.arguments[2] == "--dictionary" {
            for word in target.dictionary { print(#""\"\#(word)\"""#) }
            exit(0)
        }
        #if FUZZING
            // The target's name is not for libFuzzer.
            CommandLine.unsafeArgv[1] = CommandLine.unsafeArgv[0]
            exit(tokend_fuzzer_run(CommandLine.argc - 1, CommandLine.unsafeArgv + 1, read))
        #else
            for file in CommandLine.arguments.dropFirst(2) { feed(contents(of: file)) }
        #endif
    }

    private static func feed(_ bytes: [UInt8]) {
        do throws(BrokenRule) {
            try target.read(bytes)
        } catch {
            fatalError("\(target): \(error)")
        }
    }

    #if FUZZING
        private static let read: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32 = { bytes, count in
            feed(Array(UnsafeBufferPointer(start: bytes, count: count)))
            return 0
        }
    #else
        private static func contents(of path: String) -> [UInt8] {
            guard let file = fopen(path, "r") else { fatalError("\(path) cannot be read") }
            defer { fclose(file) }
            var bytes: [UInt8] = []
            var byte = getc(file)
            while byte != EOF {
                bytes.append(UInt8(byte))
                byte = getc(file)
            }
            return bytes
        }
    #endif
}

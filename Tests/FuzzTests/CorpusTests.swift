// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import FoundationEssentials
import FuzzTargets
import Testing
import TokendProtocol

/// Everything in `Tests/FuzzCorpus`, and what is made of it by a few turned bytes: `scripts/fuzz` goes on from there.
@Suite struct CorpusTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "FuzzCorpus")

    private static func corpus(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
        let folder = folder.appending(path: target.rawValue)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
            (name, Array(try Data(contentsOf: folder.appending(path: name))))
        }
    }

    @Test func `every method's parameters and results are among the requests`() {
        #expect(Set(FuzzTarget.requests.dictionary).isSuperset(of: Route.all.map(\.method.rawValue)))
    }

    @Test(arguments: FuzzTarget.allCases)
    func `every input breaks no rule, nor does any that is cut off`(_ target: FuzzTarget) throws {
        let corpus = try Self.corpus(of: target)
        #expect(!corpus.isEmpty)
        for (name, bytes) in corpus {
            #expect(throws: Never.self, "\(name)") { try target.read(bytes) }
            for end in 0..<min(bytes.count, 2_000) {
                #expect(throws: Never.self, "\(name), up to \(end)") { try target.read(Array(bytes[..<end])) }
            }
        }
    }

    @Test(arguments: FuzzTarget.allCases)
    func `nor do a few thousand that are nearly the same`(_ target: FuzzTarget) throws {
        let corpus = try Self.corpus(of: target).map(\.bytes)
        // Xorshift: the same inputs in every run.
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        func next(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(max(1, bound)))
        }
        for _ in 0..<3_000 {
            var bytes = corpus[next(corpus.count)]
            for _ in 0...next(4) where !bytes.isEmpty {
                let place = next(bytes.count)
                switch next(4) {
                case 0: bytes[place] ^= 1 << UInt8(next(8))
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(UInt8(next(256)), at: place)
                default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + next(32))], at: next(place))
                }
            }
            #expect(throws: Never.self, "\(String(reflecting: String(decoding: bytes, as: UTF8.self)))") {
                try target.read(bytes)
            }
        }
    }
}

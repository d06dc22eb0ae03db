// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Passes a response on, unless it is a 401 that leads to another try. Pure.
struct ResponseGate {
    /// A piece of the program's output for the user.
    struct Piece: Equatable {
        let source: PipedProgram.Source
        let bytes: [UInt8]
    }

    /// The most that is held back if no head comes before the body.
    static let limit = 1024 * 1024

    private(set) var head = ResponseHead()
    private let mayRepeat: Bool
    private var held: [Piece] = []
    private var heldCount = 0
    private var isOpen = false

    /// `mayRepeat`: whether a 401 is held back.
    init(mayRepeat: Bool) {
        self.mayRepeat = mayRepeat
    }

    /// Whether to repeat the request with another token.
    var wantsRepetition: Bool { mayRepeat && !isOpen && head.status == 401 }

    /// Takes output; returns what may be passed on.
    mutating func take(_ source: PipedProgram.Source, _ bytes: ArraySlice<UInt8>) -> [Piece] {
        guard source != .aside else {
            head.append(bytes)
            return []
        }
        let piece = Piece(source: source, bytes: Array(bytes))
        if isOpen { return [piece] }
        held.append(piece)
        heldCount += bytes.count
        let isDecided = source == .output && head.status.map { !mayRepeat || $0 != 401 } == true
        return isDecided || heldCount > Self.limit ? open() : []
    }

    /// The program has ended: returns what was held back.
    mutating func end() -> [Piece] {
        wantsRepetition ? [] : open()
    }

    /// Returns what was held back, although the request could be repeated: it will not be.
    mutating func open() -> [Piece] {
        isOpen = true
        defer { held = [] }
        return held
    }
}

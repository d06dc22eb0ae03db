// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing
import tokenctl

/// QR codes as lines of half blocks; that a camera reads them is shown with the built program.
@Suite struct QRCodeTests {
    /// Of `https://a.b`, as `tokenctl-qr` writes it.
    static let rows = """
        111111100101101111111
        100000100111001000001
        101110101101101011101
        101110100101001011101
        101110100010101011101
        100000100000101000001
        111111101010101111111
        000000001101100000000
        111011111111011000100
        000101001110001110001
        101011101110110010111
        101000010100000010010
        111110111010100101000
        000000001011010110011
        111111101011011010111
        100000101101110110001
        101110101011000001000
        101110100011001011010
        101110101010100010101
        100000101011100010010
        111111101100100011011
        """

    @Test func `a code has a light margin`() throws {
        let code = try #require(QRCode(rows: Self.rows))
        #expect(code.size == 21 && code.width == 25 && code.height == 13)
        for place in 0..<7 { #expect(code.isDark(place, 0) && code.isDark(0, place) && code.isDark(20 - place, 0)) }
        #expect(!code.isDark(-1, 0) && !code.isDark(0, 21) && !code.isDark(7, 7))
    }

    @Test func `each character is two modules, dark ones drawn where there are colours`() throws {
        let code = try #require(QRCode(rows: Self.rows))
        for palette in [Palette.plain, Palette(coloured: true, unicode: true)] {
            let lines = code.lines(palette)
            #expect(lines.count == code.height)
            for (line, text) in lines.enumerated() {
                let blocks = text.filter { "█▀▄ ".contains($0) }
                #expect(blocks.count == code.width)
                for (column, block) in blocks.enumerated() {
                    let (upper, lower) = ("█▀".contains(block), "█▄".contains(block))
                    #expect((upper == palette.coloured) == code.isDark(column - 2, 2 * line - 2))
                    #expect((lower == palette.coloured) == code.isDark(column - 2, 2 * line - 1))
                }
            }
        }
    }

    @Test(arguments: ["", "\n", "01\n1\n", "01\n", "01\n1x\n"])
    func `what is no square of modules is none`(rows: String) {
        #expect(QRCode(rows: rows) == nil)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing
import tokenctl

/// QR codes as lines of half blocks; that a camera reads them is shown with the built program.
@Suite struct QRCodeTests {
    @Test func `the smallest code that holds the text, within a light margin`() throws {
        let code = try #require(QRCode("https://a.b"))
        #expect(code.size == 21 && code.width == 25 && code.height == 13)
        for place in 0..<7 { #expect(code.isDark(place, 0) && code.isDark(0, place) && code.isDark(20 - place, 0)) }
        #expect(!code.isDark(-1, 0) && !code.isDark(0, 21) && !code.isDark(7, 7))
        #expect(QRCode(String(repeating: "x", count: 32))?.size == 25)
    }

    @Test func `each character is two modules, dark ones drawn where there are colours`() throws {
        let code = try #require(QRCode("https://a.b"))
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

    @Test func `what no code holds is none`() {
        #expect(QRCode("") == nil && QRCode(String(repeating: "x", count: 3000)) == nil)
    }
}

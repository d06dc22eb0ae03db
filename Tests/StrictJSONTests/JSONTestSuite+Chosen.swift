// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension JSONTestSuite {
    /// The `i_` cases that this reader accepts: a number keeps its text, whatever its size.
    static let acceptedByChoice = SuiteCase.table(
        #"""
        i_number_double_huge_neg_exp [123.456e-789]
        i_number_huge_exp [0.4e00669999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999969999999006]
        i_number_neg_int_huge_exp [-1e+9999]
        i_number_pos_double_huge_exp [1.5e+9999]
        i_number_real_neg_overflow [-123123e100000]
        i_number_real_pos_overflow [123123e100000]
        i_number_real_underflow [123e-10000000]
        i_number_too_big_neg_int [-123123123123123123123123123123]
        i_number_too_big_pos_int [100000000000000000000]
        i_number_very_big_negative_int [-237462374673276894279832749832423479823246327846]
        """#
    )

    /// The `i_` cases that this reader refuses: anything but UTF-8, a byte order mark, half a surrogate pair.
    static let refusedByChoice = SuiteCase.table(
        #"""
        i_object_key_lone_2nd_surrogate {"\uDFAA":0}
        i_string_1st_surrogate_but_2nd_missing ["\uDADA"]
        i_string_1st_valid_surrogate_2nd_invalid ["\uD888\u1234"]
        i_string_UTF-16LE_with_BOM <FF><FE>[<00>"<00><E9><00>"<00>]<00>
        i_string_UTF-8_invalid_sequence ["<E6><97><A5><D1><88><FA>"]
        i_string_UTF8_surrogate_U+D800 ["<ED><A0><80>"]
        i_string_incomplete_surrogate_and_escape_valid ["\uD800\n"]
        i_string_incomplete_surrogate_pair ["\uDd1ea"]
        i_string_incomplete_surrogates_escape_valid ["\uD800\uD800\n"]
        i_string_invalid_lonely_surrogate ["\ud800"]
        i_string_invalid_surrogate ["\ud800abc"]
        i_string_invalid_utf-8 ["<FF>"]
        i_string_inverted_surrogates_U+1D11E ["\uDd1e\uD834"]
        i_string_iso_latin_1 ["<E9>"]
        i_string_lone_second_surrogate ["\uDFAA"]
        i_string_lone_utf8_continuation_byte ["<81>"]
        i_string_not_in_unicode_range ["<F4><BF><BF><BF>"]
        i_string_overlong_sequence_2_bytes ["<C0><AF>"]
        i_string_overlong_sequence_6_bytes ["<FC><83><BF><BF><BF><BF>"]
        i_string_overlong_sequence_6_bytes_null ["<FC><80><80><80><80><80>"]
        i_string_truncated-utf-8 ["<E0><FF>"]
        i_string_utf16BE_no_BOM <00>[<00>"<00><E9><00>"<00>]
        i_string_utf16LE_no_BOM [<00>"<00><E9><00>"<00>]<00>
        i_structure_UTF-8_BOM_empty_object <EF><BB><BF>{}
        """#
    )
}

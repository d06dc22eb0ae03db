// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension JSON5TestSuite {
    /// Every `.json` and `.json5` case, the prose of its comments shortened: JSON5 accepts it. Left out are
    /// `npm-package` (a long file that adds no syntax) and `duplicate-keys`, which has a test of its own.
    static let accepted = SuiteCase.table(
        #"""
        arrays/empty-array.json []
        arrays/regular-array.json [<0A>    true,<0A>    false,<0A>    null<0A>]
        arrays/trailing-comma-array.json5 [<0A>    null,<0A>]
        comments/block-comment-following-array-element.json5 [<0A>    false<0A>    /*<0A>        true<0A>    */<0A>]
        comments/block-comment-following-top-level-value.json5 null<0A>/*<0A>    after<0A>    the value<0A>*/
        comments/block-comment-in-string.json "no /* block comment */ here"
        comments/block-comment-preceding-top-level-value.json5 /*<0A>    before<0A>    the value<0A>*/<0A>null
        comments/block-comment-with-asterisks.json5 /**<0A> * of lines<0A> * with asterisks<0A> **/<0A>true
        comments/inline-comment-following-array-element.json5 [<0A>    false   // true<0A>]
        comments/inline-comment-following-top-level-value.json5 null // after the value
        comments/inline-comment-in-string.json "no inline comment // here"
        comments/inline-comment-preceding-top-level-value.json5 // before the value<0A>null
        comments/irregular-block-comment.json true<0A>/*/* inside, not nested /*/<0A>
        misc/readme-example.json5 {<0A>  foo: 'bar',<0A>  while: true,<0A>  this: 'a \<0A>b', // c<0A>  /* d<0A> */<0A>  hex: 0xDEADbeef,<0A>  half: .5,<0A>  delta: +10,<0A>  to: Infinity,<0A>  oh: [<0A>    "it's",<0A>    'x',<0A>  ],<0A>}<0A>
        misc/valid-whitespace.json5 {<0A> <0C>   // after a form feed<0A>  "a": true<0A>}<0A>
        new-lines/comment-cr.json5 {<0D>    // a comment<0D>}<0D>
        new-lines/comment-crlf.json5 {<0D><0A>    // a comment<0D><0A>}<0D><0A>
        new-lines/comment-lf.json5 {<0A>    // a comment<0A>}<0A>
        new-lines/escaped-cr.json5 {<0D>    // a comment<0D>    a: 'line 1 \<0D>line 2'<0D>}<0D>
        new-lines/escaped-crlf.json5 {<0D><0A>    // a comment<0D><0A>    a: 'line 1 \<0D><0A>line 2'<0D><0A>}<0D><0A>
        new-lines/escaped-lf.json5 {<0A>    // a comment<0A>    a: 'line 1 \<0A>line 2'<0A>}<0A>
        numbers/float-leading-decimal-point.json5 .5<0A>
        numbers/float-leading-zero.json 0.5<0A>
        numbers/float-trailing-decimal-point-with-integer-exponent.json5 5.e4<0A>
        numbers/float-trailing-decimal-point.json5 5.<0A>
        numbers/float-with-integer-exponent.json 1.2e3<0A>
        numbers/float.json 1.2<0A>
        numbers/hexadecimal-lowercase-letter.json5 0xc8<0A>
        numbers/hexadecimal-uppercase-x.json5 0XC8<0A>
        numbers/hexadecimal-with-integer-exponent.json5 0xc8e4<0A>
        numbers/hexadecimal.json5 0xC8<0A>
        numbers/infinity.json5 Infinity<0A>
        numbers/integer-with-integer-exponent.json 2e23<0A>
        numbers/integer-with-negative-integer-exponent.json 2e-23<0A>
        numbers/integer-with-negative-zero-integer-exponent.json 5e-0<0A>
        numbers/integer-with-positive-integer-exponent.json 1e+2<0A>
        numbers/integer-with-positive-zero-integer-exponent.json 5e+0<0A>
        numbers/integer-with-zero-integer-exponent.json 5e0<0A>
        numbers/integer.json 15<0A>
        numbers/nan.json5 NaN<0A>
        numbers/negative-float-leading-decimal-point.json5 -.5<0A>
        numbers/negative-float-leading-zero.json -0.5<0A>
        numbers/negative-float-trailing-decimal-point.json5 -5.<0A>
        numbers/negative-float.json -1.2<0A>
        numbers/negative-hexadecimal.json5 -0xC8<0A>
        numbers/negative-infinity.json5 -Infinity<0A>
        numbers/negative-integer.json -15<0A>
        numbers/negative-zero-float-leading-decimal-point.json5 -.0<0A>
        numbers/negative-zero-float-trailing-decimal-point.json5 -0.<0A>
        numbers/negative-zero-float.json -0.0<0A>
        numbers/negative-zero-hexadecimal.json5 -0x0<0A>
        numbers/negative-zero-integer.json -0<0A>
        numbers/positive-float-leading-decimal-point.json5 +.5<0A>
        numbers/positive-float-leading-zero.json5 +0.5<0A>
        numbers/positive-float-trailing-decimal-point.json5 +5.<0A>
        numbers/positive-float.json5 +1.2<0A>
        numbers/positive-hexadecimal.json5 +0xC8<0A>
        numbers/positive-infinity.json5 +Infinity<0A>
        numbers/positive-integer.json5 +15<0A>
        numbers/positive-zero-float-leading-decimal-point.json5 +.0<0A>
        numbers/positive-zero-float-trailing-decimal-point.json5 +0.<0A>
        numbers/positive-zero-float.json5 +0.0<0A>
        numbers/positive-zero-hexadecimal.json5 +0x0<0A>
        numbers/positive-zero-integer.json5 +0<0A>
        numbers/zero-float-leading-decimal-point.json5 .0<0A>
        numbers/zero-float-trailing-decimal-point.json5 0.<0A>
        numbers/zero-float.json 0.0<0A>
        numbers/zero-hexadecimal.json5 0x0<0A>
        numbers/zero-integer-with-integer-exponent.json 0e23<0A>
        numbers/zero-integer.json 0<0A>
        objects/empty-object.json {}
        objects/reserved-unquoted-key.json5 {<0A>    while: true<0A>}
        objects/single-quoted-key.json5 {<0A>    'hello': "world"<0A>}
        objects/trailing-comma-object.json5 {<0A>    "foo": "bar",<0A>}
        objects/unquoted-keys.json5 {<0A>  hello: "1",<0A>  _: "2",<0A>  $: "3",<0A>  one1: "4",<0A>  _$_: "5",<0A>  $_$hello123world_$_: "6"<0A>}
        strings/escaped-single-quoted-string.json5 'I can\'t wait'
        strings/multi-line-string.json5 'hello\<0A> world'
        strings/single-quoted-string.json5 'hello world'
        todo/unicode-escaped-unquoted-key.json5 {<0A>    sig\u03A3ma: "sum"<0A>}
        todo/unicode-unquoted-key.json5 {<0A>    <C3><BC>ml<C3><A5><C3><BB>t: "<C3><BC>"<0A>}
        """#
    )

    /// Every `.js` and `.txt` case: JSON5 refuses it.
    static let refused = SuiteCase.table(
        #"""
        arrays/leading-comma-array.js [<0A>    ,null<0A>]
        arrays/lone-trailing-comma-array.js [<0A>    ,<0A>]
        arrays/no-comma-array.txt [<0A>    true<0A>    false<0A>]
        comments/top-level-block-comment.txt /*<0A>    alone<0A>*/
        comments/top-level-inline-comment.txt // alone
        comments/unterminated-block-comment.txt true<0A>/*<0A>    without an end<0A>
        misc/empty.txt
        numbers/hexadecimal-empty.txt 0x<0A>
        numbers/integer-with-float-exponent.txt 1e2.3<0A>
        numbers/integer-with-hexadecimal-exponent.txt 1e0x4<0A>
        numbers/integer-with-negative-float-exponent.txt 1e-2.3<0A>
        numbers/integer-with-negative-hexadecimal-exponent.txt 1e-0x4<0A>
        numbers/integer-with-positive-float-exponent.txt 1e+2.3<0A>
        numbers/integer-with-positive-hexadecimal-exponent.txt 1e+0x4<0A>
        numbers/lone-decimal-point.txt .<0A>
        numbers/negative-noctal.js -098<0A>
        numbers/negative-octal.txt -0123<0A>
        numbers/negative-zero-octal.txt -00<0A>
        numbers/noctal-with-leading-octal-digit.js 0780<0A>
        numbers/noctal.js 080<0A>
        numbers/octal.txt 010<0A>
        numbers/positive-noctal.js +098<0A>
        numbers/positive-octal.txt +0123<0A>
        numbers/positive-zero-octal.txt +00<0A>
        numbers/zero-octal.txt 00<0A>
        objects/illegal-unquoted-key-number.txt {<0A>    10twenty: "ten twenty"<0A>}
        objects/illegal-unquoted-key-symbol.txt {<0A>    multi-word: "multi-word"<0A>}
        objects/leading-comma-object.txt {<0A>    ,"foo": "bar"<0A>}
        objects/lone-trailing-comma-object.txt {<0A>    ,<0A>}
        objects/no-comma-object.txt {<0A>    "foo": "bar"<0A>    "hello": "world"<0A>}
        strings/unescaped-multi-line-string.txt "foo<0A>bar"<0A>
        """#
    )
}

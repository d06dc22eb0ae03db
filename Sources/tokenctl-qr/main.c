// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

// tokenctl-qr: reads a text from stdin and writes its smallest QR code, a line of 0 (light) and 1 (dark) for each row.
// Ends with 1 where no code holds the text. tokenctl, which is linked statically, runs it beside itself, because Debian has
// libqrencode as a shared library alone.

#include <qrencode.h>
#include <stdio.h>

int main(void) {
    // The largest code holds 2,953 bytes.
    unsigned char text[4096];
    size_t count = fread(text, 1, sizeof text, stdin);
    if (count == 0 || ferror(stdin)) return 1;
    QRcode *code = QRcode_encodeData((int)count, text, 0, QR_ECLEVEL_L);
    if (code == NULL) return 1;
    for (int row = 0; row < code->width; row++) {
        // The lowest bit is the module, the others tell what it is for.
        for (int column = 0; column < code->width; column++)
            putchar('0' + (code->data[row * code->width + column] & 1));
        putchar('\n');
    }
    QRcode_free(code);
    return fflush(stdout) == 0 ? 0 : 1;
}

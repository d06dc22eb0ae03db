// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

// libFuzzer as a library; the toolchain has it without a header. Only `scripts/fuzz` links it.
#pragma once

#include <stddef.h>
#include <stdint.h>

extern int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*read)(const uint8_t *bytes, size_t count));

static inline int tokend_fuzzer_run(int argc, char **argv, int (*read)(const uint8_t *bytes, size_t count)) {
    return LLVMFuzzerRunDriver(&argc, &argv, read);
}

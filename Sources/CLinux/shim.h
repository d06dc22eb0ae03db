// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

// Only what Swift cannot import as it stands; each wrapper says why it exists. No library is linked for it.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

// See SocketDescriptor. Every argument of a call through syscall(2) is written as a long: it reads whole registers, and of
// an int the compiler need not define the upper half.
static inline int tokend_linux_socket(int family, int type, int protocol) {
    return (int)syscall(SYS_socket, (long)family, (long)type, (long)protocol);
}

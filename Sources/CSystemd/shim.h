// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

// Only what Swift cannot import as it stands; each wrapper says why it exists.
#pragma once

#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-journal.h>
#include <systemd/sd-login.h>

// glibc declares accept4(2) only under _GNU_SOURCE, which Swift's importer does not set.
extern int accept4(int, struct sockaddr *__restrict, socklen_t *__restrict, int);

static inline int tokend_systemd_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

// prctl(2) takes variable arguments.
#include <sys/prctl.h>

static inline void tokend_systemd_forbid_dumps(void) {
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

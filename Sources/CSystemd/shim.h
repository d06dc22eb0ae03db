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

# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
# shellcheck shell=bash
#
# Waiting for what a program says, in a log or to systemd (sd_notify(3)). To be sourced; the caller has `fail MESSAGE`,
# which ends it, and ends the processes of its array `children`.

# await SECONDS FILE PATTERN [LINE]: until a line that fits stands in the file, at LINE (default 1) or below.
await() {
    timeout "$1" grep --quiet --max-count=1 -- "$3" <(exec tail --pid=$$ --lines="+${4-1}" --follow "$2") \
        || fail "no “$3” in ${2##*/} within $1 s"
}

# receive_notifications SOCKET: from now on each message to SOCKET stands in SOCKET.log, with one line end after it. One
# write a message, and nothing else in that file: messages may come at the same time.
receive_notifications() {
    : >"$1.log"
    : >"$1.socat.log"
    socat -dd -u "UNIX-RECVFROM:$1,fork,unlink-early" EXEC:'awk 1' \
        >>"$1.log" 2>>"$1.socat.log" </dev/null &
    children+=($!)
    await 10 "$1.socat.log" 'receiving on'
}

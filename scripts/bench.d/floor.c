// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors
//
// floor SOCKET REPLY-FILE
//
// The least that a server on a Unix socket can do: one thread, epoll, and for each line that comes in the same bytes
// out. What another server takes beyond this is its own work. Ends on SIGTERM.

#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { most_at_once = 64, read_size = 64 * 1024, most_lines = 4096 };

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void watch(int epoll, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) < 0) fail("epoll_ctl");
}

static int listen_at(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) fail("the path is too long");
    strcpy(address.sun_path, path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 256) < 0)
        fail("listen");
    return listener;
}

// The reply, over and over, so that several lines are answered by one call.
static char *replies;
static size_t reply_size;

static void read_reply(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fail(path);
    static char reply[64 * 1024];
    reply_size = fread(reply, 1, sizeof reply, file);
    fclose(file);
    replies = malloc(reply_size * most_lines);
    if (!reply_size || !replies) fail("no reply to give");
    for (int i = 0; i < most_lines; i++) memcpy(replies + i * reply_size, reply, reply_size);
}

// Returns whether the connection goes on.
static int serve(int descriptor) {
    static char buffer[read_size];
    ssize_t size = recv(descriptor, buffer, sizeof buffer, MSG_DONTWAIT);
    if (size <= 0) return size < 0 && errno == EAGAIN;
    size_t lines = 0;
    for (char *at = buffer; (at = memchr(at, '\n', buffer + size - at)); at++) lines++;
    // The bench's clients read what they asked for: nothing is left over for later.
    return send(descriptor, replies, lines * reply_size, MSG_NOSIGNAL) == (ssize_t)(lines * reply_size);
}

int main(int count, char **arguments) {
    if (count != 3) return 64;
    read_reply(arguments[2]);
    int listener = listen_at(arguments[1]);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    watch(epoll, listener);
    for (;;) {
        struct epoll_event events[most_at_once];
        int ready = epoll_wait(epoll, events, most_at_once, -1);
        if (ready < 0 && errno != EINTR) fail("epoll_wait");
        for (int i = 0; i < ready; i++) {
            int descriptor = events[i].data.fd;
            if (descriptor == listener) {
                int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
                if (client >= 0) watch(epoll, client);
            } else if (!serve(descriptor)) {
                close(descriptor);
            }
        }
    }
}

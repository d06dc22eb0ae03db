// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors
//
// The bench's client. It prints one sample a line, in nanoseconds, after all are taken; it ends with an error where an
// answer is not what a healthy server gives.
//
//   client once SOCKET REQUEST              prints the answer instead
//   client sample SOCKET REQUEST            one request, as each program of `new` makes it
//   client one SOCKET REQUEST N             one connection, one request after another
//   client each SOCKET REQUEST N            a connection for each request
//   client new SOCKET REQUEST N             a program for each request, from its connecting to its answer
//   client pipelined SOCKET REQUEST N       64 requests sent at once, N times; a sample is the time of all by 64
//   client many SOCKET REQUEST N            64 connections with a request each under way, N requests together
//   client many-each SOCKET REQUEST N       the same, with a connection for each request
//   client process N COMMAND…               from starting the command to its end
//   client start SOCKET REQUEST COMMAND…    from starting the command to its first answer; then SIGTERM
//   client hold SOCKET N                    N connections with half a line each, until its input ends

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { width = 64, warm_up = 200, reply_room = 256 * 1024, patience_ms = 20000 };

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static char request[64 * 1024];
static size_t request_size;
static char reply[width * 4096 + reply_room];
static long long *samples;
static int sample_count;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void prepare(const char *socket_path, const char *line, int count) {
    if (strlen(socket_path) >= sizeof address.sun_path || strlen(line) + 2 > sizeof request) exit(64);
    strcpy(address.sun_path, socket_path);
    request_size = sprintf(request, "%s\n", line);
    samples = calloc(count, sizeof *samples);
    if (!samples) fail("calloc");
}

static int try_connect(void) {
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) fail("socket");
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    close(descriptor);
    return -1;
}

static int connect_now(void) {
    int descriptor = try_connect();
    if (descriptor < 0) fail("connect");
    struct timeval patience = {.tv_sec = patience_ms / 1000};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return descriptor;
}

static void ask(int descriptor) {
    if (send(descriptor, request, request_size, MSG_NOSIGNAL) != (ssize_t)request_size) fail("send");
}

// Reads until `lines` lines are there, or the server has closed the connection (as oidc-agent does after its answer).
static size_t read_reply(int descriptor, int lines) {
    size_t size = 0;
    while (lines > 0) {
        ssize_t more = recv(descriptor, reply + size, sizeof reply - size, 0);
        if (more < 0) fail("recv");
        if (more == 0) break;
        for (char *at = reply + size; (at = memchr(at, '\n', reply + size + more - at)); at++) lines--;
        size += more;
    }
    return size;
}

static void check(size_t size) {
    if (memmem(reply, size, "\"access_token\"", 14)) return;
    fprintf(stderr, "not a token: %.*s\n", (int)(size < 300 ? size : 300), reply);
    exit(1);
}

static void keep(long long sample) { samples[sample_count++] = sample; }

static void one(int count) {
    int descriptor = connect_now();
    for (int i = -warm_up; i < count; i++) {
        long long start = now();
        ask(descriptor);
        size_t size = read_reply(descriptor, 1);
        long long end = now();
        check(size);
        if (i >= 0) keep(end - start);
    }
}

// From connecting to the answer, with the connection closed.
static long long single(void) {
    long long start = now();
    int descriptor = connect_now();
    ask(descriptor);
    size_t size = read_reply(descriptor, 1);
    close(descriptor);
    long long end = now();
    check(size);
    return end - start;
}

static void each(int count) {
    for (int i = -warm_up / 4; i < count; i++) {
        long long sample = single();
        if (i >= 0) keep(sample);
    }
}

static void pipelined(int count) {
    int descriptor = connect_now();
    size_t single = request_size;
    char *all = malloc(single * width);
    for (int i = 0; i < width; i++) memcpy(all + i * single, request, single);
    for (int i = -warm_up / width; i < count; i++) {
        long long start = now();
        if (send(descriptor, all, single * width, MSG_NOSIGNAL) != (ssize_t)(single * width)) fail("send");
        size_t size = read_reply(descriptor, width);
        long long end = now();
        check(size);
        if (i >= 0) keep((end - start) / width);
    }
}

struct client {
    int descriptor;
    long long start;
};

static void begin(int epoll, struct client *client, int reconnects) {
    client->start = now();
    if (reconnects || client->descriptor < 0) {
        client->descriptor = connect_now();
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, client->descriptor, &event) < 0) fail("epoll_ctl");
    }
    ask(client->descriptor);
}

static void many(int count, int reconnects) {
    struct client clients[width];
    int epoll = epoll_create1(EPOLL_CLOEXEC), asked = 0, answered = 0;
    for (int i = 0; i < width; i++) clients[i].descriptor = -1;
    for (int i = 0; i < width; i++, asked++) begin(epoll, &clients[i], reconnects);
    while (answered < asked) {
        struct epoll_event events[width];
        int ready = epoll_wait(epoll, events, width, patience_ms);
        if (ready <= 0) fail("epoll_wait");
        for (int i = 0; i < ready; i++) {
            struct client *client = events[i].data.ptr;
            size_t size = read_reply(client->descriptor, 1);
            if (reconnects) close(client->descriptor);
            long long end = now();
            check(size);
            // The first round finds all of them connecting at once; it is the warm-up.
            if (answered++ >= width) keep(end - client->start);
            if (asked < count + width) {
                asked++;
                begin(epoll, client, reconnects);
            }
        }
    }
}

// Without an output the command has none.
static pid_t spawn(char **command, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (output < 0) posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    else posix_spawn_file_actions_adddup2(&actions, output, 1);
    pid_t pid;
    errno = posix_spawnp(&pid, command[0], &actions, NULL, command, environ);
    if (errno) fail(command[0]);
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static void end(pid_t pid) {
    int status = 0;
    if (waitpid(pid, &status, 0) < 0) fail("waitpid");
    if (status && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM)) {
        fprintf(stderr, "the command ended with status %#x\n", status);
        exit(1);
    }
}

static void process(int count, char **command) {
    for (int i = -1; i < count; i++) {
        long long start = now();
        end(spawn(command, -1));
        if (i >= 0) keep(now() - start);
    }
}

static void new(int count, char **arguments) {
    char *command[] = {"/proc/self/exe", "sample", arguments[2], arguments[3], NULL};
    int output[2];
    if (pipe2(output, O_CLOEXEC) < 0) fail("pipe");
    for (int i = -warm_up / 20; i < count; i++) {
        long long sample;
        end(spawn(command, output[1]));
        if (read(output[0], &sample, sizeof sample) != sizeof sample) fail("read");
        if (i >= 0) keep(sample);
    }
}

static void start(char **command) {
    long long start = now();
    pid_t pid = spawn(command, -1);
    int descriptor;
    struct timespec pause = {.tv_nsec = 50000};
    while ((descriptor = try_connect()) < 0) {
        if (now() - start > patience_ms * 1000000LL) fail("connect");
        nanosleep(&pause, NULL);
    }
    ask(descriptor);
    size_t size = read_reply(descriptor, 1);
    keep(now() - start);
    check(size);
    close(descriptor);
    kill(pid, SIGTERM);
    end(pid);
}

static void hold(int count) {
    for (int i = 0; i < count; i++) {
        int descriptor = connect_now();
        if (send(descriptor, request, request_size / 2, MSG_NOSIGNAL) < 0) fail("send");
    }
    puts("held");
    fflush(stdout);
    while (getchar() != EOF) {}
}

int main(int count, char **arguments) {
    const char *mode = count > 1 ? arguments[1] : "";
    if (!strcmp(mode, "process") && count > 3) {
        samples = calloc(atoi(arguments[2]), sizeof *samples);
        process(atoi(arguments[2]), arguments + 3);
    } else if (!strcmp(mode, "start") && count > 4) {
        prepare(arguments[2], arguments[3], 1);
        start(arguments + 4);
    } else if (!strcmp(mode, "once") && count == 4) {
        prepare(arguments[2], arguments[3], 1);
        int descriptor = connect_now();
        ask(descriptor);
        fwrite(reply, 1, read_reply(descriptor, 1), stdout);
    } else if (!strcmp(mode, "sample") && count == 4) {
        prepare(arguments[2], arguments[3], 1);
        long long sample = single();
        if (write(1, &sample, sizeof sample) != sizeof sample) fail("write");
    } else if (!strcmp(mode, "hold") && count == 4) {
        prepare(arguments[2], "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"token.get\"}", 1);
        hold(atoi(arguments[3]));
    } else if (count == 5) {
        int number = atoi(arguments[4]);
        prepare(arguments[2], arguments[3], number + width);
        if (!strcmp(mode, "one")) one(number);
        else if (!strcmp(mode, "each")) each(number);
        else if (!strcmp(mode, "new")) new(number, arguments);
        else if (!strcmp(mode, "pipelined")) pipelined(number);
        else if (!strcmp(mode, "many")) many(number, 0);
        else if (!strcmp(mode, "many-each")) many(number, 1);
        else return 64;
    } else {
        return 64;
    }
    for (int i = 0; i < sample_count; i++) printf("%lld\n", samples[i]);
    return 0;
}

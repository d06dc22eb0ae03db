// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

// Only what Swift cannot import as it stands; each wrapper says why it exists.
#pragma once

#include <linux/inet_diag.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-journal.h>

// glibc declares accept4(2) only under _GNU_SOURCE, which Swift's importer does not set.
extern int accept4(int, struct sockaddr *__restrict, socklen_t *__restrict, int);

static inline int tokend_systemd_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

// Every argument of a call through syscall(2) or prctl(2) is written as a long: both read whole registers, and of an int
// the compiler need not define the upper half.
#include <sys/syscall.h>
#include <unistd.h>

// prctl(2) takes variable arguments.
#include <sys/prctl.h>

static inline void tokend_systemd_forbid_dumps(void) {
    (void)prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);
}

// <malloc.h> is not part of Swift's Glibc module.
#include <malloc.h>

static inline void tokend_systemd_give_back_memory(void) {
    (void)malloc_trim(0);
}

// From here on neither this process nor a child of it can become another program: execve(2) and execveat(2) end with
// EPERM (seccomp(2), mode 2). Calls of a foreign architecture, whose numbers mean something else, end likewise.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>

#if defined(__x86_64__)
#define TOKEND_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define TOKEND_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

static inline int tokend_systemd_forbid_programs(void) {
#ifdef TOKEND_AUDIT_ARCH
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TOKEND_AUDIT_ARCH, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        // The x32 form of a call has this bit set.
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~0x40000000U),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execveat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof rules / sizeof rules[0], rules };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0) return -1;
    return prctl(PR_SET_SECCOMP, (long)SECCOMP_MODE_FILTER, &program, 0L, 0L);
#else
    return 0;
#endif
}

// Who is at the other end of a Unix socket. glibc 2.36 knows neither SO_PEERPIDFD (Linux 6.5) nor, without
// _GNU_SOURCE, SO_PASSCRED's message.
#include <errno.h>
#include <poll.h>
#include <string.h>

// The pidfd of the process that connected; -1 with errno where the kernel has none to give.
static inline int tokend_systemd_peer_pidfd(int socket) {
    int descriptor = -1;
    socklen_t length = sizeof descriptor;
    return getsockopt(socket, SOL_SOCKET, 77, &descriptor, &length) == 0 ? descriptor : -1;
}

static inline int tokend_systemd_pidfd_open(int pid) {
    return (int)syscall(SYS_pidfd_open, (long)pid, 0L);
}

// statx(2), which glibc declares only under _GNU_SOURCE, without asking whoever serves the file system: a server that
// does not answer, be it a dead one of the network's or a program of the client's own (FUSE), would hold the loop.
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/sysmacros.h>

// O_PATH: a file's place, without opening the file.
static const int tokend_systemd_path_only = 010000000;

struct tokend_systemd_entry { unsigned long long device, inode; unsigned major, minor, mode; };

static inline int tokend_systemd_look(int folder, const char *path, int flags, struct tokend_systemd_entry *entry) {
    struct statx found;
    long dont_sync = 0x4000;
    if (syscall(SYS_statx, (long)folder, path, dont_sync | (long)flags, (long)STATX_BASIC_STATS, &found) != 0) return -1;
    entry->device = makedev(found.stx_dev_major, found.stx_dev_minor);
    entry->inode = found.stx_ino;
    entry->major = found.stx_dev_major;
    entry->minor = found.stx_dev_minor;
    entry->mode = found.stx_mode;
    return 0;
}

// The same of an open file: AT_EMPTY_PATH, too, is declared only under _GNU_SOURCE.
static inline int tokend_systemd_look_at(int descriptor, struct tokend_systemd_entry *entry) {
    return tokend_systemd_look(descriptor, "", 0x1000, entry);
}

static inline int tokend_systemd_pass_credentials(int socket) {
    int yes = 1;
    return setsockopt(socket, SOL_SOCKET, 16, &yes, sizeof yes);
}

// glibc declares recvmmsg(2) and its type only under _GNU_SOURCE, which Swift's importer does not set.
struct tokend_systemd_message { struct msghdr header; unsigned count; };

extern int recvmmsg(int, struct tokend_systemd_message *, unsigned, int, struct timespec *);

/// Bytes that one process wrote; 0 where the kernel does not say which.
struct tokend_systemd_piece { size_t count; int sender; };

// Reads into both halves of `bytes`, one call for what two processes wrote: a read ends where another one's bytes begin.
// There is no room for descriptors, so that none is ever taken in.
static inline int tokend_systemd_receive(
    int socket, char *bytes, size_t half, struct tokend_systemd_piece pieces[2]) {
    struct { int pid; unsigned uid, gid; } credentials = { 0, 0, 0 };
    union { struct cmsghdr header; char space[CMSG_SPACE(sizeof credentials)]; } controls[2];
    struct iovec vectors[2] = { { bytes, half }, { bytes + half, half } };
    struct tokend_systemd_message messages[2];
    memset(messages, 0, sizeof messages);
    for (int i = 0; i < 2; i++) {
        messages[i].header.msg_iov = &vectors[i];
        messages[i].header.msg_iovlen = 1;
        messages[i].header.msg_control = &controls[i];
        messages[i].header.msg_controllen = sizeof controls[i];
    }
    int received = recvmmsg(socket, messages, 2, MSG_DONTWAIT | MSG_CMSG_CLOEXEC, NULL);
    for (int i = 0; i < received; i++) {
        pieces[i].count = messages[i].count;
        pieces[i].sender = 0;
        if (messages[i].header.msg_controllen < sizeof(struct cmsghdr)) continue;
        struct cmsghdr *header = CMSG_FIRSTHDR(&messages[i].header);
        if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == 2
            && header->cmsg_len >= CMSG_LEN(sizeof credentials)) {
            memcpy(&credentials, CMSG_DATA(header), sizeof credentials);
            pieces[i].sender = credentials.pid;
        }
    }
    return received;
}

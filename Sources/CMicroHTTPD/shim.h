// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

// Only what Swift cannot import as it stands; each wrapper says why it exists.
#pragma once

#include <microhttpd.h>

/// Called with the request's target as it came, before it is decoded.
typedef void *(*tokend_mhd_target_function)(void *context, const char *target, struct MHD_Connection *connection);

/// What a daemon is started with; see `tokend_mhd_start`.
struct tokend_mhd_settings {
    int listening_descriptor;
    unsigned int connections;
    unsigned int idle_seconds;
    size_t memory_per_connection;
    MHD_AcceptPolicyCallback accept;
    MHD_AccessHandlerCallback handle;
    tokend_mhd_target_function target;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    void *context;
};

/// MHD_start_daemon takes variable arguments, which Swift does not import. The daemon has no thread of
/// its own: its epoll descriptor belongs into the caller's loop.
static inline struct MHD_Daemon *tokend_mhd_start(const struct tokend_mhd_settings *settings) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, settings->accept, settings->context, settings->handle,
        settings->context,
        MHD_OPTION_LISTEN_SOCKET, (MHD_socket)settings->listening_descriptor,
        MHD_OPTION_CONNECTION_LIMIT, settings->connections,
        MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->memory_per_connection,
        MHD_OPTION_STRICT_FOR_CLIENT, (int)1,
        MHD_OPTION_URI_LOG_CALLBACK, settings->target, settings->context,
        MHD_OPTION_NOTIFY_COMPLETED, settings->completed, settings->context,
        MHD_OPTION_NOTIFY_CONNECTION, settings->connection, settings->context,
        MHD_OPTION_END);
}

/// MHD_get_daemon_info takes variable arguments; -1 where there is no such descriptor.
static inline int tokend_mhd_epoll_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

/// MHD_get_connection_info takes variable arguments; -1 where there is no such descriptor.
static inline int tokend_mhd_connection_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

/// `MHD_RESPMEM_MUST_COPY` as a constant of an enumeration that Swift would need to build by hand.
static inline struct MHD_Response *tokend_mhd_response(const void *bytes, size_t count) {
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

// Only what Swift cannot import as it stands; each wrapper says why it exists.
#pragma once

// For secret_service_encode_dbus_secret: "unstable" since 2012, exported and unchanged.
#define SECRET_API_SUBJECT_TO_CHANGE
#include <libsecret/secret.h>

// libsecret's own constructor makes each SecretService one of the process's shared session bus (which ends the process
// when the bus goes) and of the well-known name (which D-Bus may hand to another process at any time). Subclasses are
// foreseen; this one puts back what its maker asked for. C, because a class is filled in through macros and casts.
static inline GObject *_Nonnull tokend_secret_construct(
    GType type, guint count, GObjectConstructParam *_Nonnull properties)
{
    GObjectClass *parent = (GObjectClass *)g_type_class_peek(SECRET_TYPE_SERVICE);
    GObject *service = parent->constructor(type, count, properties);
    for (guint i = 0; i < count; i++) {
        const char *name = g_param_spec_get_name(properties[i].pspec);
        if (g_str_equal(name, "g-bus-type") || g_str_equal(name, "g-name") || g_str_equal(name, "g-flags"))
            g_object_set_property(service, name, properties[i].value);
    }
    return service;
}

static inline void tokend_secret_fill_class(gpointer _Nonnull filled, gpointer _Nullable data)
{
    ((GObjectClass *)filled)->constructor = tokend_secret_construct;
}

static inline GType tokend_secret_service_type(void)
{
    static gsize type = 0;
    if (g_once_init_enter(&type)) {
        GType made = g_type_register_static_simple(
            SECRET_TYPE_SERVICE, "TokendSecretService", sizeof(SecretServiceClass), tokend_secret_fill_class,
            sizeof(SecretService), NULL, (GTypeFlags)0);
        g_once_init_leave(&type, made);
    }
    return type;
}

// g_initable_new takes variable arguments. `owner` (a unique name) binds all that is done with the service to one
// process. The service's signals are not asked for: nobody would take them off the queue.
static inline SecretService *_Nullable tokend_secret_open_service(
    GDBusConnection *_Nonnull connection, const char *_Nonnull owner, GCancellable *_Nullable cancellable,
    GError *_Nullable *_Nullable error)
{
    int proxy = G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES | G_DBUS_PROXY_FLAGS_DO_NOT_CONNECT_SIGNALS
        | G_DBUS_PROXY_FLAGS_DO_NOT_AUTO_START;
    return (SecretService *)g_initable_new(
        tokend_secret_service_type(), cancellable, error, "g-connection", connection, "g-name", owner, "g-object-path",
        "/org/freedesktop/secrets", "g-interface-name", "org.freedesktop.Secret.Service", "g-flags", proxy, "flags",
        SECRET_SERVICE_OPEN_SESSION, NULL);
}

// A macro with a cast.
static inline GQuark tokend_secret_error_domain(void) { return SECRET_ERROR; }
static inline GQuark tokend_gio_error_domain(void) { return G_IO_ERROR; }
static inline GQuark tokend_gdbus_error_domain(void) { return G_DBUS_ERROR; }

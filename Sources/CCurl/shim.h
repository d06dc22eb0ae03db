// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

// Only what Swift cannot import as it stands; each wrapper says why it exists.
#pragma once

#include <curl/curl.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <string.h>

/// CURLE_TOO_LARGE, which the headers have from 8.6 on, and the library that is loaded may have where they do not.
static const CURLcode tokend_curl_too_large = (CURLcode)100;

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt take variable arguments, which Swift does
// not import: one wrapper for each type of argument. The caller picks the option that takes that type.

static inline CURLcode tokend_curl_set_long(CURL *easy, CURLoption option, long value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode tokend_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(easy, option, value);
}

/// curl copies strings, except for CURLOPT_POSTFIELDS: use `tokend_curl_set_pointer` there.
static inline CURLcode tokend_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode tokend_curl_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode tokend_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return (curl_easy_setopt)(easy, option, value);
}

/// The bytes are copied by curl.
static inline CURLcode tokend_curl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {.data = (void *)bytes, .len = count, .flags = CURL_BLOB_COPY};
    return (curl_easy_setopt)(easy, option, &blob);
}

/// For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION, whose callbacks have the same form.
typedef size_t (*tokend_curl_data_function)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode tokend_curl_set_data_function(
    CURL *easy, CURLoption option, tokend_curl_data_function function) {
    return (curl_easy_setopt)(easy, option, function);
}

static inline CURLcode tokend_curl_set_before_request(
    CURL *easy, curl_prereq_callback function, void *context) {
    CURLcode code = (curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, function);
    return code != CURLE_OK ? code : (curl_easy_setopt)(easy, CURLOPT_PREREQDATA, context);
}

static inline CURLcode tokend_curl_set_open_socket(
    CURL *easy, curl_opensocket_callback function, void *context) {
    CURLcode code = (curl_easy_setopt)(easy, CURLOPT_OPENSOCKETFUNCTION, function);
    return code != CURLE_OK ? code : (curl_easy_setopt)(easy, CURLOPT_OPENSOCKETDATA, context);
}

static inline CURLcode tokend_curl_get_long(CURL *easy, CURLINFO info, long *value) {
    return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLMcode tokend_curl_multi_set_functions(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *context) {
    CURLMcode code = (curl_multi_setopt)(multi, CURLMOPT_SOCKETFUNCTION, socket);
    if (code == CURLM_OK) code = (curl_multi_setopt)(multi, CURLMOPT_SOCKETDATA, context);
    if (code == CURLM_OK) code = (curl_multi_setopt)(multi, CURLMOPT_TIMERFUNCTION, timer);
    if (code == CURLM_OK) code = (curl_multi_setopt)(multi, CURLMOPT_TIMERDATA, context);
    return code;
}

// Runs every transfer as far as it goes, which nothing else of curl's event interface does (curl_multi_socket_all(3): it
// is deprecated because it looks at all of them, which here are few).
static inline CURLMcode tokend_curl_multi_run(CURLM *multi, int *running) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return curl_multi_socket_all(multi, running);
#pragma GCC diagnostic pop
}

static inline CURLMcode tokend_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return (curl_multi_setopt)(multi, option, value);
}

// CURLVERSION_NOW is a macro over an enumeration; Swift sees neither.

/// The folder of certificate authorities that this libcurl was built with; NULL for none.
static inline const char *tokend_curl_certificate_folder(void) {
    return curl_version_info(CURLVERSION_NOW)->capath;
}

/// The bundle of certificate authorities that this libcurl was built with; NULL for none.
static inline const char *tokend_curl_certificate_bundle(void) {
    return curl_version_info(CURLVERSION_NOW)->cainfo;
}

// curl tells that a certificate was refused, not whose it was. OpenSSL's own callback does, and only C
// can install it: its arguments and results are macros and void pointers.

/// What was seen of the server's certificates in one handshake. `error` is OpenSSL's verification code
/// (0: none), `subject` and `issuer` are those of the certificate that failed, or of the server's own.
struct tokend_curl_certificate_note {
    char subject[256];
    char issuer[256];
    int error;
    int depth;
};

static inline void tokend_curl_print_name(X509_NAME *name, char *text, size_t size) {
    text[0] = 0;
    BIO *bio = BIO_new(BIO_s_mem());
    if (bio == NULL) return;
    X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
    int count = BIO_read(bio, text, (int)size - 1);
    text[count > 0 ? count : 0] = 0;
    BIO_free(bio);
}

static inline int tokend_curl_note_certificate(int accepted, X509_STORE_CTX *context) {
    SSL *ssl = X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx());
    struct tokend_curl_certificate_note *note =
        ssl == NULL ? NULL : SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    X509 *certificate = X509_STORE_CTX_get_current_cert(context);
    int depth = X509_STORE_CTX_get_error_depth(context);
    if (note == NULL || certificate == NULL || note->error != 0 || (accepted && depth > 0)) return accepted;
    tokend_curl_print_name(X509_get_subject_name(certificate), note->subject, sizeof note->subject);
    tokend_curl_print_name(X509_get_issuer_name(certificate), note->issuer, sizeof note->issuer);
    note->depth = depth;
    if (!accepted) note->error = X509_STORE_CTX_get_error(context);
    return accepted;
}

static inline CURLcode tokend_curl_prepare_tls(CURL *easy, void *tls_context, void *note) {
    (void)easy;
    SSL_CTX *context = tls_context;
    // The note lives as long as the transfer that shakes hands; a later handshake on a kept
    // connection would write to a note that is gone, so there is none.
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_app_data(context, note);
    SSL_CTX_set_verify(context, SSL_CTX_get_verify_mode(context), tokend_curl_note_certificate);
    return CURLE_OK;
}

/// Has the certificates of this transfer's handshake noted. Only where curl's TLS is OpenSSL's; the
/// note must outlive the transfer.
static inline CURLcode tokend_curl_watch_certificates(CURL *easy, struct tokend_curl_certificate_note *note) {
    curl_version_info_data *version = curl_version_info(CURLVERSION_NOW);
    memset(note, 0, sizeof *note);
    if (version->ssl_version == NULL || strncmp(version->ssl_version, "OpenSSL/", 8) != 0) return CURLE_OK;
    CURLcode code = (curl_easy_setopt)(easy, CURLOPT_SSL_CTX_FUNCTION, tokend_curl_prepare_tls);
    return code != CURLE_OK ? code : (curl_easy_setopt)(easy, CURLOPT_SSL_CTX_DATA, note);
}

static inline const char *tokend_curl_certificate_reason(const struct tokend_curl_certificate_note *note) {
    return X509_verify_cert_error_string(note->error);
}

static inline const char *tokend_curl_certificate_subject(const struct tokend_curl_certificate_note *note) {
    return note->subject;
}

static inline const char *tokend_curl_certificate_issuer(const struct tokend_curl_certificate_note *note) {
    return note->issuer;
}

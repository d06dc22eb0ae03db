// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

#pragma once

// Hides everything that OpenSSL 3 has deprecated, so that none of it can be called.
#define OPENSSL_API_COMPAT 30000
#define OPENSSL_NO_DEPRECATED

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/decoder.h>
#include <openssl/ec.h>
#include <openssl/encoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

// EVP_PKEY_PUBLIC_KEY and EVP_PKEY_KEYPAIR are expressions over other macros, which Swift does not import.
static inline int tokend_crypto_public_selection(void) {
    return EVP_PKEY_PUBLIC_KEY;
}

static inline int tokend_crypto_keypair_selection(void) {
    return EVP_PKEY_KEYPAIR;
}

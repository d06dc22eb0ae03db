// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

// Only what Swift cannot import as it stands; each wrapper says why it exists.
#pragma once

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

// Only what Swift cannot import as it stands; each wrapper says why it exists.
#pragma once

#include <curl/curl.h>

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing

/// The built programs, for real: `tokend` and `tokenctl` with a keyring, a provider and a browser. One at a time,
/// because each test has several processes and the machines that run this have few cores.
@Suite(.serialized) struct Programs {}

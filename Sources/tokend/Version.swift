// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// This release's number.
enum Version {
    static let number = "0.1.0"
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

@main
struct Tokenctl {
    static func main() {}
}

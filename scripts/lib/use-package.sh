# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
# shellcheck shell=bash
#
# Has IntegrationTests run what is shipped. To be sourced, in the project's top folder.

# use_package PACKAGE: the tests install that in their booted systems, and run its programs elsewhere. Those lie beside the
# build, as a sandbox may have a /tmp of its own.
use_package() {
    local tree=$PWD/.build/package/unpacked
    TOKEND_TEST_PACKAGE=$(realpath "$1")
    TOKEND_TEST_BIN=$tree/usr/bin
    export TOKEND_TEST_PACKAGE TOKEND_TEST_BIN
    rm -rf "$tree"
    mkdir -p "${tree%/*}"
    dpkg-deb --extract "$TOKEND_TEST_PACKAGE" "$tree"
}

# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
# shellcheck shell=bash
#
# A folder of this script's own for temporary files, removed at its end: SwiftPM leaves some empty ones at each call.
# To be sourced.

TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/tokend.XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

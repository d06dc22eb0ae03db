#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
#
# ask.sh ACCOUNT URL: gets URL with a token of ACCOUNT; after a 401 once more, with a fresh one. The token goes to curl on
# its stdin, where no other user sees it. (`tokenctl call` does all of this, too.)
set -eu
account=$1 url=$2
body=$(mktemp)
trap 'rm -f "$body"' EXIT

# ask FLAG…: prints the status; tokenctl says on stderr what is wrong where there is no token.
ask() {
    header=$(tokenctl token "$account" --format header "$@")
    printf '%s\n' "$header" | curl --silent --show-error --header @- --output "$body" --write-out '%{http_code}' "$url"
}

status=$(ask)
if [ "$status" = 401 ]; then status=$(ask --fresh); fi
cat "$body"
[ "$status" = 200 ]

# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
# shellcheck shell=bash
#
# What a package is before it is installed. To be sourced by .ci/package.

# check_paper PACKAGE FOLDER: reads it, and what is in it, which goes into FOLDER.
check_paper() {
    local program
    ls -l "$1"
    lintian --allow-root --fail-on error,warning "$1"
    if dpkg-deb --contents "$1" | grep -vE '^(-rw-r--r--|[-d]rwxr-xr-x|lrwxrwxrwx) root/root '; then
        fail "modes or owners that not everyone can use"
    fi
    if dpkg-deb --field "$1" Recommends | grep -E 'keyring|keepassxc|kwallet'; then
        fail "a keyring beside the desktop's own would come with it"
    fi
    dpkg-deb --extract "$1" "$2"
    for program in bin/tokend bin/tokenctl libexec/tokend/tokenctl-qr; do check_program "$2/usr/$program"; done
    if readelf --wide --dynamic --program-headers "$2/usr/bin/tokenctl" | grep -E 'NEEDED|INTERP'; then
        fail "tokenctl is not static"
    fi
}

# check_program FILE: what the loader writes to is read-only before the program starts, and no newer libc is asked for
# than need be.
check_program() {
    local name=${1##*/} newest
    readelf --wide --program-headers "$1" | grep -q 'GNU_RELRO' || fail "$name has no RELRO"
    readelf --wide --dynamic "$1" | grep -q 'FLAGS_1.* NOW.* PIE' || fail "$name is not linked with -z now, or is no PIE"
    if readelf --wide --program-headers "$1" | grep -E 'GNU_STACK.* RWE|LOAD.* RWE'; then fail "$name: executable data"; fi
    if readelf --wide --dynamic "$1" | grep -E 'RPATH|RUNPATH'; then fail "$name looks for libraries elsewhere"; fi
    if strings --bytes=6 "$1" | grep -F "$PWD"; then fail "$name names this folder"; fi
    [[ $name != tokenctl ]] || return 0
    newest=$(objdump --dynamic-syms "$1" | grep -oE 'GLIBC_[0-9.]+' | sort --unique --version-sort | tail -n 1)
    [[ $newest == GLIBC_2.34 ]] || fail "$name asks for $newest: $(objdump --dynamic-syms "$1" | grep -F "$newest")"
}

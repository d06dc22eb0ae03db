# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
# shellcheck shell=bash
#
# What an installation consists of. To be sourced, in the project's top folder.

# How the programs are built: with the Swift run-time inside; by lld, which comes with the toolchain (Debian 13's binutils
# have no gold); with all that the loader writes to made read-only before the start; without debug information, which names
# the folder and which `strip` would take away anyway. No symbol of a program's own is there for libraries to find: the
# loader would look each of theirs up among 9,000. hypotf: Swift's Glibc overlay refers to it in a function that nothing
# calls and the linker keeps. It alone of all symbols would ask for glibc 2.35 (.ci/package looks).
release_flags=(
    -c release --static-swift-stdlib --disable-local-rpath -debug-info-format none -Xswiftc -use-ld=lld
    -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xlinker --no-export-dynamic
    -Xlinker --defsym=hypotf=0
)

# build_release [PROGRAM…]: builds them, or all that are shipped; `built` is their folder. tokenctl becomes one static file
# (Package.swift): nothing is loaded at its start, and it runs where there is no library.
build_release() {
    local program
    (($#)) || set -- tokend tokenctl
    echo "Building (the first time takes some minutes) …" >&2
    for program; do
        TOKEND_STATIC_CLIENT=1 timeout --signal=KILL 3600 swift build --quiet "${release_flags[@]}" --product "$program" >&2
    done
    built=$(swift build "${release_flags[@]}" --show-bin-path)
    # By the C compiler alone: SwiftPM would link 6 MB of Swift's run-time into it.
    # shellcheck disable=SC2046
    clang -O2 -fPIE -pie -fuse-ld=lld -Wl,-z,relro,-z,now,--build-id=sha1 -o "$built/tokenctl-qr" Sources/tokenctl-qr/main.c \
        $(pkg-config --cflags --libs libqrencode)
}

# strip_program FILE TARGET: writes TARGET without what a run does not need. The same sources give the same bytes in each
# folder, but for the length of a path in LoopActor.assumeIsolated.
strip_program() {
    strip --remove-section=.comment --remove-section=.note -o "$2" "$1"
    scripts/lib/same-bytes.py "$2"
}

# stage TREE PROGRAMS UNITS [DAEMON CLIENT]: puts everything into TREE as it is to lie under a prefix: the programs from
# the folder PROGRAMS, stripped; the units in TREE/UNITS, with DAEMON for the daemon's place, and the desktop file, with
# CLIENT for that of tokenctl.
stage() {
    local tree=$1 programs=$2 units=$1/$3 program tool page shell
    umask 022
    install -D --mode=644 -t "$tree/share/doc/tokend" docs/tools.md
    mkdir -p "$tree/bin" "$tree/libexec/tokend" "$units" "$tree/share/bash-completion/completions" \
        "$tree/share/zsh/site-functions" "$tree/share/fish/vendor_completions.d"
    for program in tokend tokenctl; do strip_program "$programs/$program" "$tree/bin/$program"; done
    # A build has it beside the others, an installation in its own place.
    program=$programs/tokenctl-qr
    [[ -e $program ]] || program=$programs/../libexec/tokend/tokenctl-qr
    strip_program "$program" "$tree/libexec/tokend/tokenctl-qr"
    for tool in git docker; do ln -s tokenctl "$tree/bin/$tool-credential-tokend"; done
    sed "s#^ExecStart=tokend#ExecStart=${4-tokend}#" systemd/tokend.service >"$units/tokend.service"
    install --mode=644 -t "$units" systemd/tokend.socket
    mkdir -p "$tree/share/applications"
    sed "s#^Exec=tokenctl#Exec=${5-tokenctl}#" scripts/lib/tokend.desktop >"$tree/share/applications/tokend.desktop"
    chmod 644 "$tree/share/applications/tokend.desktop"
    install -D --mode=644 -t "$tree/share/doc/tokend/providers" docs/providers/*.md
    scripts/lib/manual.py "$tree/share/man"
    for page in "$tree"/share/man/man?/*; do gzip --best --no-name "$page"; done
    for tool in git docker; do echo '.so man1/tokenctl.1' | gzip --best --no-name \
        >"$tree/share/man/man1/$tool-credential-tokend.1.gz"; done
    for shell in bash:bash-completion/completions/tokenctl zsh:zsh/site-functions/_tokenctl \
        fish:fish/vendor_completions.d/tokenctl.fish; do
        "$tree/bin/tokenctl" completion "${shell%%:*}" >"$tree/share/${shell#*:}"
    done
}

# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
# shellcheck shell=bash
#
# The Debian packages that this project needs, by purpose, and `need_packages`, which installs the missing ones.
# To be sourced.

# What Package.swift links against.
# shellcheck disable=SC2034
build_packages="libcurl4-openssl-dev libmicrohttpd-dev libqrencode-dev libsecret-1-dev libssl-dev libsystemd-dev pkg-config"

# What an installation is made with on top.
stage_packages="binutils gzip python3"

# What a Debian package is made with on top.
package_packages="dpkg-dev"

# What that package is tried with.
package_test_packages="debootstrap lintian socat systemd-container"

# What the demo runs: a message bus, a keyring, and something to fetch pages and read notifications with.
demo_packages="curl dbus gnome-keyring libglib2.0-bin socat"

# What the tests run on top: a sandbox, another machine's ssh, a look into the keyring, two more keyrings, a browser, a
# bootable systemd, a real OpenID provider with its database, a mail server, the tools that take tokens from here (git,
# mail, containers, AWS, Kubernetes), shells, networks of their own, and what the commands in README.md and docs use.
test_packages="awscli bubblewrap chromium chromium-driver curl dbus dbus-user-session desktop-file-utils
    dovecot-imapd dovecot-submissiond dunst fish flatpak fonts-dejavu-core gcc git glewlwyd gnome-keyring iproute2 isync jq
    keepassxc libc6-dev libglib2.0-bin libkf5wallet-bin libpam-systemd libqca-qt5-2-plugins libsasl2-modules-kdexoauth2
    libsecret-tools libzbar0 man-db mandoc msmtp neomutt nftables openssh-client openssh-server openssl podman procps
    python3 python3-gi python3-venv socat systemd systemd-container util-linux xdg-utils xvfb zsh"
# Another source of kubectl than Debian is good enough, and cannot be beside it.
[[ -x /usr/bin/kubectl ]] || test_packages+=" kubernetes-client"

# What the bench runs: the demo's world, something to count system calls and instructions with, and the peer.
bench_packages="binutils dbus gcc gnome-keyring libc6-dev libglib2.0-bin oidc-agent-cli python3 strace valgrind"

# need_packages NAME…: installs what is missing, and says so; needs root or sudo only then.
need_packages() {
    local missing=() name
    for name in "$@"; do
        dpkg-query --show --showformat='${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed \
            || missing+=("$name")
    done
    ((${#missing[@]})) || return 0
    echo "Installing Debian packages: ${missing[*]}" >&2
    local as_root=()
    ((EUID == 0)) || as_root=(sudo)
    local package service
    for package in dovecot-imapd glewlwyd openssh-server; do
        service=/etc/systemd/system/${package%-server}.service
        service=${service/openssh/ssh}
        service=${service/-imapd/}
        # The tests start their own; Debian's would listen to the network.
        if [[ " ${missing[*]} " == *" $package "* ]] && [ ! -e "$service" ]; then
            "${as_root[@]}" mkdir -p /etc/systemd/system
            "${as_root[@]}" ln -s /dev/null "$service"
            service=${service##*/}
            echo "$service is kept from starting; to have it: systemctl unmask $service" >&2
        fi
    done
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive sh -c '
        apt-get update -qq && apt-get install -qq --yes --no-install-recommends "$@"' sh "${missing[@]}" >&2
}

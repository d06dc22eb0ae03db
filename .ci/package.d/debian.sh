# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
# shellcheck shell=bash
#
# A Debian of its own, without Swift, that has booted, and what is done in it. To be sourced by .ci/package.

# What is in it beside a package's own dependencies: a session's bus, a keyring, and what uses a token.
debian_packages=ca-certificates,dbus,dbus-user-session,git,gnome-keyring,libpam-systemd,libsecret-tools,python3-gi,systemd-sysv

# make_debian CODENAME DEPENDS: sets `base`, a root folder with what the package depends on. It is kept for the next time.
make_debian() {
    base=/var/cache/tokend-package/$1-$(md5sum <<<"$debian_packages $2" | cut -c -8)
    [[ ! -d $base ]] || return 0
    rm -rf "$base.new"
    mkdir -p "${base%/*}"
    timeout 1200 debootstrap --variant=minbase --include="$debian_packages" "$1" "$base.new" >"$base.log" \
        || fail "debootstrap; see $base.log"
    # By apt, which knows what stands in for what: libcurl4t64 for libcurl4.
    timeout 600 systemd-nspawn --quiet --pipe --register=no --keep-unit --directory="$base.new" \
        --setenv=DEBIAN_FRONTEND=noninteractive sh -c 'apt-get update -qq \
        && apt-get satisfy -qq --yes --no-install-recommends "$1" && apt-get clean' sh "$2" >>"$base.log" 2>&1 \
        || fail "apt; see $base.log"
    mv "$base.new" "$base"
}

# boot FOLDER…: starts it, with these folders of the machine at /srv; sets `leader` and `root`, its first process and its
# root folder as both are seen here. clean_up ends it.
boot() {
    local folder binds=()
    for folder; do binds+=("--bind-ro=$folder:/srv/${folder##*/}"); done
    receive_notifications "$world/notify"
    NOTIFY_SOCKET=$world/notify scripts/lib/control-group enter "$machine" systemd-nspawn --quiet --boot \
        --notify-ready=yes --directory="$base" --volatile=overlay --register=no --keep-unit --private-network \
        --machine="$machine" --link-journal=no --console=pipe --kill-signal=SIGRTMIN+3 "${binds[@]}" \
        >"$world/boot.log" 2>&1 </dev/null &
    children+=($!)
    await 60 "$world/notify.log" '^X_NSPAWN_LEADER_PID='
    leader=$(sed -n 's/^X_NSPAWN_LEADER_PID=//p' "$world/notify.log")
    # shellcheck disable=SC2034
    root=/proc/$leader/root
    await 120 "$world/notify.log" '^READY=1'
}

clean_up() {
    # It is thrown away, and a power-off can take a minute.
    [[ ! ${leader-} ]] || kill -KILL "$leader" 2>/dev/null || true
    ((!${#children[@]})) || kill "${children[@]}" 2>/dev/null || true
    # Of no child at all it would mean all of them: also what passes our output on.
    ((!${#children[@]})) || wait "${children[@]}" 2>/dev/null || true
    scripts/lib/control-group remove "$machine"
    rm -rf "$world"
}

inside() {
    timeout --kill-after=5 120 nsenter -t "$leader" -a env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        DEBIAN_FRONTEND=noninteractive "$@"
}

# as USER COMMAND…: with that user's manager, and a browser that is opened here.
as() {
    local id home
    id=$(inside id -u "$1")
    home=$(inside sh -c 'getent passwd "$1" | cut -d : -f 6' sh "$1")
    inside setpriv --reuid="$id" --regid="$id" --init-groups env -i HOME="$home" USER="$1" PATH=/usr/bin:/bin \
        LANG=C.UTF-8 XDG_RUNTIME_DIR="/run/user/$id" DBUS_SESSION_BUS_ADDRESS="unix:path=/run/user/$id/bus" \
        BROWSER=/usr/local/bin/browser "${@:2}"
}

# beside NAME COMMAND…: runs it until the end of all, its output in NAME.log.
beside() {
    : >"$world/$1.log"
    "${@:2}" >>"$world/$1.log" 2>&1 </dev/null &
    children+=($!)
}

log_in() { inside systemctl start "user@$(inside id -u "$1").service"; }

# unit USER PROPERTY [UNIT]: what that user's manager says of it.
unit() { as "$1" systemctl --user show -P "$2" "${3-tokend.service}"; }

answers() { grep -q '^tokend .*protocol 1' <<<"$(as "$1" tokenctl version)" || fail "no daemon answers $1"; }

# says TEXT COMMAND…: the command says TEXT, however it ends.
says() {
    local said
    said=$("${@:2}" 2>&1) || true
    grep -qF -- "$1" <<<"$said" || fail "“$1” is not said by ${*:2}: $said"
}

# files: all that is there, but for what changes by itself.
files() {
    inside find / -xdev \( -path /proc -o -path /sys -o -path /run -o -path /tmp -o -path /var/lib/dpkg -o -path /var/log \
        -o -path /var/cache -o -path /var/tmp -o -path /srv -o -path /home \
        -o -path /var/lib/systemd/timers \) -prune -o -print | sort
}

# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
# shellcheck shell=bash
#
# A private world of one's own: folders, a message bus, a keyring, and what is started in it. To be sourced, in the
# project's top folder; the programs are in PATH. The caller has `fail MESSAGE`, which ends it. All ends with the caller.

. scripts/lib/notify.sh
world=$(mktemp -d /tmp/tokend-world.XXXXXX)
children=()
clean_up() {
    local child
    for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$world"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

unset DISPLAY WAYLAND_DISPLAY TOKEND_SOCKET TOKEND_CONFIG_DIR NOTIFY_SOCKET JOURNAL_STREAM XDG_DATA_DIRS XDG_DATA_HOME
mkdir -m 700 "$world"/{home,run,config,state}
mkdir -p "$world/config/tokend/accounts"
export HOME=$world/home XDG_RUNTIME_DIR=$world/run XDG_CONFIG_HOME=$world/config XDG_STATE_HOME=$world/state
export DBUS_SESSION_BUS_ADDRESS=unix:path=$world/run/bus
export BROWSER=$PWD/scripts/lib/browser DEMO_BROWSER_LOG=$world/browser.log

# start NAME COMMAND…: runs it beside us, its output in NAME.log. Appended: what an earlier one of that name still says
# must not be written over what this one says.
start() {
    local name=$1
    shift
    : >"$world/$name.log"
    "$@" >>"$world/$name.log" 2>&1 </dev/null &
    children+=($!)
    last=$!
}
# start_tokend: returns once it says that it is ready, as it would say to systemd.
start_tokend() {
    receive_notifications "$world/notify"
    NOTIFY_SOCKET=$world/notify start tokend tokend
    tokend=$last
    await 20 "$world/notify.log" '^READY=1'
}

# start_keyring: the bus and the keyring of this world, open.
start_keyring() {
    start bus dbus-daemon --session --nofork --nopidfile --address="$DBUS_SESSION_BUS_ADDRESS" --print-address=1
    await 10 "$world/bus.log" '^unix:'
    gnome-keyring-daemon --foreground --components=secrets --unlock >"$world/keyring.log" 2>&1 <<<demo &
    children+=($!)
    gdbus wait --session --timeout 20 org.freedesktop.secrets || fail "no keyring"
}

# start_provider ACCOUNT OPTION…: the demo's provider, and an account there that nobody is signed in to; sets `issuer`.
start_provider() {
    start provider demo-provider "${@:2}"
    await 10 "$world/provider.log" '^http://'
    # shellcheck disable=SC2034
    issuer=$(head -n 1 "$world/provider.log")
    cat >"$world/config/tokend/accounts/$1.json5" <<END
{ issuer: "$issuer", client_id: "tokend", scopes: ["openid", "email"] }
END
}

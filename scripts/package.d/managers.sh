# shellcheck shell=sh
# Runs systemctl in the user managers that run now; all others read the units when they start. It runs as that user, who
# can make it wait and take it over. So nothing of root's terminal is in its hands, neither as its session's nor as a
# descriptor; what it has to say is in that user's journal; and it is root who ends it in time.
managers() {
    [ -d /run/systemd/system ] || return 0
    for folder in /run/user/*; do
        [ -S "$folder/systemd/private" ] || continue
        user=$(stat --format=%U "$folder")
        id "$user" >/dev/null 2>&1 || continue
        timeout --signal=KILL 30 \
            setsid setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups --reset-env \
            env XDG_RUNTIME_DIR="$folder" systemctl --user --quiet "$@" </dev/null >/dev/null 2>&1 \
            || ! systemctl --quiet is-active "user@$(id -u "$user").service" </dev/null \
            || echo "tokend: this did not work for $user: systemctl --user $*" >&2
    done
}

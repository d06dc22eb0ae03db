# shellcheck shell=sh
# Runs systemctl in the user managers that run now; all others read the units when they start. It runs as that user, who
# can make it wait and take it over: away from root's terminal, and not for long.
managers() {
    [ -d /run/systemd/system ] || return 0
    for folder in /run/user/*; do
        [ -S "$folder/systemd/private" ] || continue
        user=$(stat --format=%U "$folder")
        setsid --wait setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups --reset-env \
            env XDG_RUNTIME_DIR="$folder" timeout 30 systemctl --user --quiet "$@" </dev/null || true
    done
}

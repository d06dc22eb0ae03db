# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
# shellcheck shell=bash
#
# Who else there is on a machine: another user, root, a service's account, and one who means no good. To be sourced by
# .ci/package.

# Neither root nor a service's account has the socket, until a drop-in of docs/configuration.md gives it one.
spare_system_users() {
    local user
    inside useradd --system --create-home --home-dir /var/local/service --shell /bin/sh service
    for user in root service; do
        log_in "$user"
        [[ $(unit "$user" ActiveState tokend.socket) == inactive ]] || fail "$user has the socket"
        says 'not for root and the accounts of services' as "$user" tokenctl doctor
    done
    as service sh -c "$(sed -n '/tokend.socket.d/,/^```/ { /^```/d; p }' docs/configuration.md)"
    answers service
    for user in root service; do inside systemctl stop "user@$(inside id -u "$user").service"; done
    inside userdel service
    inside rm -r /var/local/service
}

# Root's terminal is nobody's who has a manager: mallory plays her own, which looks at what systemctl was given.
keep_the_terminal() {
    local id
    inside useradd --create-home mallory
    id=$(inside id -u mallory)
    inside install --directory --owner=mallory --group=mallory --mode=700 "/run/user/$id" "/run/user/$id/systemd"
    beside onlooker as mallory /srv/package.d/onlooker "/run/user/$id/systemd/private"
    await 20 "$world/onlooker.log" '^ready'
    inside script --quiet --return --command "dpkg --install $1" /dev/null >"$world/terminal.log" 2>&1 \
        || fail "dpkg at a terminal: $(<"$world/terminal.log")"
    grep -q 'systemctl' "$world/onlooker.log" || fail "mallory's manager was not asked"
    if grep -E '/dev/(pts|tty|console)|pipe' "$world/onlooker.log"; then fail "mallory has something of root's"; fi
    inside pkill --uid mallory
    inside rm -r "/run/user/$id"
    inside userdel mallory
    inside rm -r /home/mallory
}

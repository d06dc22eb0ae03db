# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
# shellcheck shell=bash
#
# From one release to the next and back, under a daemon that holds a grant. To be sourced by .ci/package.

# make_stand_in PACKAGE FILE: in place of the last release's package as long as there is none: this one under a lower
# number. So what the package's own scripts do at an upgrade and a downgrade is tried, and not what two programs may
# disagree about; a newer one's item is played (newer_item).
make_stand_in() {
    dpkg-deb --raw-extract "$1" "$world/stand-in"
    sed -i 's/^Version: .*/Version: 0.0.0/' "$world/stand-in/DEBIAN/control"
    dpkg-deb --root-owner-group -Znone --build "$world/stand-in" "$2" >/dev/null
    rm -rf "$world/stand-in"
}

# put_on FILE: installs it under alice's daemon, which is another one then, and has the grant.
put_on() {
    local process
    process=$(unit alice MainPID)
    inside dpkg --install "$1"
    answers alice
    [[ $(unit alice MainPID) != "$process" ]] || fail "the old daemon runs still"
    has_token demo
    renews demo
}

# An item in a form that only a newer tokend knows, as after a downgrade: it is told, and nothing that this one is asked
# to do about it touches it.
newer_item() {
    local item='{"version":2,"kept":"as it is"}' command
    as alice sh -c 'cd ~/.config/tokend/accounts && cp demo.json5 newer.json5'
    as alice secret-tool store --label='tokend: newer at 127.0.0.1' xdg:schema org.tokend.Grant application tokend \
        kind grant account newer issuer "$issuer" client_id tokend <<<"$item"
    dies
    says 'newer tokend' as alice tokenctl status newer
    for command in token refresh login logout 'account remove'; do
        # shellcheck disable=SC2086
        says 'newer tokend' as alice timeout 20 tokenctl $command newer
    done
    # What waits for the next start would come now.
    dies
    says 'newer tokend' as alice tokenctl status newer
    [[ $(as alice secret-tool lookup application tokend kind grant account newer) == "$item" ]] \
        || fail "the item of a newer tokend is damaged"
    as alice secret-tool clear application tokend kind grant account newer
    as alice rm /home/alice/.config/tokend/accounts/newer.json5
}

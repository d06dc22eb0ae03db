# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
# shellcheck shell=bash
#
# What a user does with the installed package, from the first use to the sign-out. To be sourced by .ci/package.

keyring_password=pw123
collection=/org/freedesktop/secrets/collection/login

# A session as a desktop has it: a keyring that is open, and a browser, which hands the address to this machine's.
prepare_session() {
    inside sh -c 'printf "#!/bin/sh\nprintf \"%%s\\\\n\" \"\$1\" >>~/address\n" >/usr/local/bin/browser; chmod 755 /usr/local/bin/browser'
    as alice sh -c ': >~/address; printf %s "$1" | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1' \
        sh "$keyring_password"
}

# start_provider: the demo's provider on this machine, heard in there alone; its access tokens live 22 s. Sets `issuer`.
start_provider() {
    beside provider nsenter --target "$leader" --net "$provider" --lifetime 22
    await 20 "$world/provider.log" '^http://'
    issuer=$(grep --max-count=1 '^http://' "$world/provider.log")
}

# asked ENDPOINT: how often the provider was asked for that.
asked() { grep -c "^demo-provider: $1 200" "$world/provider.log" || true; }

# sign_in ACCOUNT OPTION…: alice signs in, in a real browser.
sign_in() {
    local seen=$(($(wc -l <"$root/home/alice/address") + 1)) login
    as alice tokenctl login "$@" >"$world/login.log" 2>&1 &
    login=$!
    await 30 "$root/home/alice/address" '^http' "$seen"
    nsenter --target "$leader" --net "$python" scripts/lib/chromium-sign-in "$(tail -n 1 "$root/home/alice/address")" \
        alice wonderland "$world/browser" >"$world/page.json" || fail "the browser"
    wait "$login" || fail "the sign-in: $(<"$world/login.log")"
}

# has_token ACCOUNT: alice gets one, without a word about it.
has_token() {
    local token
    token=$(as alice tokenctl token "$1") || fail "no token of $1"
    [[ $token == at-* ]] || fail "what is no token of $1: ${#token} characters"
}

# renews ACCOUNT: the daemon does that by itself, and the token is another one then.
renews() {
    local held seen told
    held=$(as alice tokenctl token "$1")
    seen=$(($(wc -l <"$world/provider.log") + 1))
    told=$(date +%s)
    await 40 "$world/provider.log" '^demo-provider: token refresh_token 200' "$seen"
    for _ in {1..50}; do
        [[ $(as alice tokenctl token "$1") != "$held" ]] && return
        sleep 0.2
    done
    fail "the token is the old one $(($(date +%s) - told)) s later"
}

# dies: the daemon is killed as if by the kernel, and systemd starts another.
dies() {
    local process
    process=$(unit alice MainPID)
    inside kill -KILL "$process"
    answers alice
    [[ $(unit alice MainPID) != "$process" ]] || fail "process $process lives still"
}

first_use() {
    [[ $(unit alice ActiveState) == inactive ]] || fail "the daemon runs before anyone asks"
    [[ $(unit alice ActiveState tokend.socket) == active ]] || fail "nobody listens"
    answers alice
    [[ $(unit alice ActiveState) == active ]] || fail "systemd has not started it"
}

# The helper that the package installs, before a server that takes the provider's tokens alone.
clone_by_git() {
    local address
    as alice sh -c 'git init --quiet --bare -b main ~/served/project.git && git init --quiet -b main ~/first && cd ~/first &&
        git -c user.name=a -c user.email=a commit --quiet --allow-empty -m first && git push --quiet ~/served/project.git main'
    beside git as alice /srv/lib/git-server /home/alice/served "$issuer/userinfo" /nonexistent
    await 20 "$world/git.log" '^[0-9]'
    address=http://127.0.0.1:$(grep --max-count=1 '^[0-9]' "$world/git.log")
    as alice tokenctl setup git demo --host "$address"
    as alice git clone --quiet "$address/project.git" /home/alice/second || fail "git: $(<"$world/git.log")"
    [[ $(as alice git -C /home/alice/second log --format=%s) == first ]] || fail "git has cloned something else"
    as alice tokenctl setup git demo --undo
}

nothing_is_found() {
    as alice tokenctl doctor >"$world/doctor.log" 2>&1 || fail "doctor: $(<"$world/doctor.log")"
    cat "$world/doctor.log"
}

# With a locked keyring, a token that is held is served on. A daemon that starts then has none, says so, and signs nobody
# out.
lock_and_unlock() {
    as alice busctl --user --quiet call org.freedesktop.secrets /org/freedesktop/secrets org.freedesktop.Secret.Service \
        Lock ao 1 "$collection"
    has_token demo
    dies
    says 'tokenctl unlock' as alice tokenctl token demo </dev/null
    says locked as alice tokenctl status demo
    printf %s "$keyring_password" >"$world/password"
    as alice /srv/lib/unlock-keyring "$collection" <"$world/password"
    for _ in {1..50}; do as alice tokenctl token demo >/dev/null 2>&1 && break || sleep 0.2; done
    has_token demo
}

tell_what_happened() {
    as alice tokenctl log demo --since 1h >"$world/log" 2>&1 || fail "log: $(<"$world/log")"
    grep -q 'demo  *token.*/usr/bin/tokenctl' "$world/log" || fail "log does not tell who had a token: $(<"$world/log")"
    as alice sh -c 'journalctl --user --unit=tokend --output=json --all --no-pager' >"$world/journal"
    grep -q '"TOKEND_EVENT":"token_refreshed"' "$world/journal" || fail "the journal tells of no renewal"
    if grep -oE '"[^"]*\b(at|rt)-[A-Za-z0-9_-]{8,}' "$world/journal"; then fail "a token is in the journal"; fi
}

sign_out() {
    as alice tokenctl logout demo || fail "the sign-out"
    await 10 "$world/provider.log" '^demo-provider: revocation 200'
    says 'tokenctl login demo' as alice tokenctl token demo
    if as alice secret-tool search --all application tokend account demo 2>/dev/null | grep .; then
        fail "something of the grant is in the keyring still"
    fi
}

# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
"""The bench's private world: a message bus, a keyring, a provider, and the three servers with a grant each."""

import base64
import hashlib
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import parse_qs, quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, build_opener

PATIENCE = 60  # seconds for anything that is waited for
AGENT = "agent"  # the client id of oidc-agent; it authenticates, where tokend is a public client
REDIRECT = "http://127.0.0.1:8765/callback"


class Stop(Exception):
    """Something of the world did not do what it should."""


def await_true(what, condition, patience=PATIENCE):
    """Waits for what no event tells, such as another program's socket."""
    end = time.monotonic() + patience
    while not (value := condition()):
        if time.monotonic() > end:
            raise Stop(f"{what}: not within {patience} s")
        time.sleep(0.01)
    return value


class NoRedirects(HTTPRedirectHandler):
    """Shows a redirect instead of following it."""

    def http_error_302(self, request, response, code, message, headers):
        return response

    http_error_303 = http_error_302


def children(pid):
    """The process and all below it."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += children(int(child))
    return found


class World:
    """Everything lives in one folder and ends with `close`."""

    def __init__(self, programs, provider, tools):
        self.programs, self.provider_program, self.tools = programs.absolute(), provider.absolute(), tools.absolute()
        self.folder = Path(tempfile.mkdtemp(prefix="tokend-bench."))
        self.running = []
        self.variables = {
            "PATH": f"{self.programs}:/usr/bin:/bin", "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.folder}/run/bus",
        }
        for name, part in (("HOME", "home"), ("XDG_RUNTIME_DIR", "run"), ("XDG_CONFIG_HOME", "config"),
                           ("XDG_STATE_HOME", "state")):
            (self.folder / part).mkdir(mode=0o700)
            self.variables[name] = str(self.folder / part)
        self.opener = build_opener(ProxyHandler({}))
        self.sockets = {name: str(self.folder / f"{name}.sock") for name in ("tokend", "floor", "agent")}
        self.variables["TOKEND_SOCKET"], self.variables["OIDC_SOCK"] = self.sockets["tokend"], self.sockets["agent"]
        self.requests = {}

    # ---- Programs ----

    def start(self, name, *command, stdin=subprocess.DEVNULL, **variables):
        log = open(self.folder / f"{name}.log", "ab")
        process = subprocess.Popen(
            [str(part) for part in command], stdin=stdin, stdout=log, stderr=log,
            env={**self.variables, **variables}, process_group=0)
        process.name = name
        self.running.append(process)
        return process

    def end(self, process, number=signal.SIGTERM):
        """Ends one process that we started (and, where it is a tracer, the traced one, which then ends it)."""
        if process not in self.running:
            return
        self.running.remove(process)
        if process.poll() is None:
            for pid in reversed(children(process.pid)):
                os.kill(pid, number)
        process.wait(PATIENCE)

    def run(self, *command, input=None):
        done = subprocess.run(
            [str(part) for part in command], input=input, capture_output=True, text=True, env=self.variables,
            stdin=None if input is not None else subprocess.DEVNULL, timeout=300)
        if done.returncode != 0:
            raise Stop(f"{Path(command[0]).name} {command[1] if len(command) > 1 else ''} ended with "
                       f"{done.returncode}: {(done.stderr or done.stdout).strip()[:500]}")
        return done.stdout

    def log(self, name):
        path = self.folder / f"{name}.log"
        return path.read_text() if path.exists() else ""

    def await_log(self, name, pattern, start=0):
        return await_true(f"“{pattern}” in {name}.log", lambda: re.search(pattern, self.log(name)[start:], re.M))

    def close(self):
        for process in reversed(list(self.running)):
            try:
                self.end(process)
            except (subprocess.TimeoutExpired, OSError):
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- What all servers need ----

    def make(self):
        self.start("bus", "dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1",
                   f"--address={self.variables['DBUS_SESSION_BUS_ADDRESS']}")
        self.await_log("bus", "^unix:")
        keyring = self.start("keyring", "gnome-keyring-daemon", "--foreground", "--components=secrets", "--unlock",
                             stdin=subprocess.PIPE)
        keyring.stdin.write(b"bench\n")
        keyring.stdin.close()
        self.run("gdbus", "wait", "--session", "--timeout", "20", "org.freedesktop.secrets")
        self.provider = self.start("provider", self.provider_program, "--auto-approve", "--keep-refresh-tokens",
                                   "--client", f"{AGENT}:{AGENT}-secret")
        self.issuer = self.await_log("provider", r"^(http://\S+)")[1]

    def page(self, url, data=None):
        with self.opener.open(url, data and urlencode(data).encode(), timeout=30) as response:
            return response.read()

    def hang(self):
        """From here to `let_go` the provider answers no token request."""
        start = len(self.log("provider"))
        os.kill(self.provider.pid, signal.SIGUSR1)
        self.await_log("provider", "the token endpoint hangs", start)
        return start

    def let_go(self):
        os.kill(self.provider.pid, signal.SIGUSR2)

    # ---- tokend ----

    def configure_tokend(self):
        self.requests["tokend"] = self.requests["floor"] = json.dumps(
            {"jsonrpc": "2.0", "id": 1, "method": "token.get", "params": {"account": "bench"}}, separators=(",", ":"))
        accounts = self.folder / "config/tokend/accounts"
        accounts.mkdir(parents=True)
        (accounts / "bench.json5").write_text(
            f'{{ issuer: "{self.issuer}", client_id: "tokend", scopes: ["openid", "email", "offline_access"],\n'
            '  refresh: { forced_gap: 0 } }\n')

    def tokend_command(self):
        return [self.programs / "tokend"]

    def start_tokend(self, *tracer):
        process = self.start("tokend", *tracer, *self.tokend_command())
        self.await_socket("tokend", process)
        return process

    def sign_in(self):
        """As `tokenctl login` and a browser do it; the provider asks no one."""
        begun = self.call("login.start", account="bench", open_browser=False)
        self.page(begun["authorization_url"])
        self.call("login.wait", login_id=begun["login_id"], timeout=30)

    def connect(self):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(PATIENCE)
        connection.connect(self.sockets["tokend"])
        return connection.makefile("rwb", buffering=0)

    def call(self, method, **params):
        with self.connect() as stream:
            stream.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n")
            answer = json.loads(stream.readline())
        if "error" in answer:
            raise Stop(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def begin_hung_refresh(self):
        """A refresh that the provider does not answer; to be ended by `let_go` and a read of what is returned."""
        start = self.hang()
        stream = self.connect()
        stream.write(b'{"jsonrpc":"2.0","id":1,"method":"token.get","params":{"account":"bench","fresh":true}}\n')
        self.await_log("provider", "token waits", start)
        return stream

    def await_socket(self, name, process):
        def is_there():
            if process.poll() is not None:
                raise Stop(f"{name} ended with {process.returncode}: {self.log(process.name)[-500:]}")
            with socket.socket(socket.AF_UNIX) as connection:
                return connection.connect_ex(self.sockets[name]) == 0
        await_true(f"{name}'s socket", is_there)

    # ---- The floor ----

    def keep_reply(self):
        """The floor answers what tokend answers."""
        self.reply = self.run(self.tools / "client", "once", self.sockets["tokend"], self.requests["tokend"])
        (self.folder / "reply").write_text(self.reply)

    def floor_command(self):
        return [self.tools / "floor", self.sockets["floor"], self.folder / "reply"]

    def start_floor(self, *tracer):
        Path(self.sockets["floor"]).unlink(missing_ok=True)
        process = self.start("floor", *tracer, *self.floor_command())
        self.await_socket("floor", process)
        return process

    # ---- oidc-agent ----

    def configure_agent(self):
        """An account of its own at the same provider, made from a refresh token as its users do it without a browser."""
        self.requests["agent"] = json.dumps(
            {"request": "access_token", "account": "bench", "min_valid_period": 10, "application_hint": "bench"})
        (self.folder / "home/.oidc-agent").mkdir(mode=0o700)
        self.password = self.folder / "password"
        self.password.write_text("bench")

    def make_agent_account(self):
        # The provider's refresh tokens end in what a form must escape; oidc-agent puts this text there as it is.
        refresh_token = quote(self.refresh_token(), safe="")
        self.run("oidc-gen", "-m", f"--issuer={self.issuer}/", f"--client-id={AGENT}", f"--client-secret={AGENT}-secret",
                 "--scope=openid email offline_access", "--redirect-uri=http://localhost:8765", "--flow=refresh",
                 f"--rt={refresh_token}", f"--pw-file={self.password}", "--prompt=none", "--no-url-call",
                 "bench")

    def start_agent(self, *tracer):
        Path(self.sockets["agent"]).unlink(missing_ok=True)
        process = self.start("agent", *tracer, "oidc-agent", "--console", f"--socket-path={self.sockets['agent']}")
        self.await_socket("agent", process)
        return process

    def load_agent_account(self):
        self.run("oidc-add", f"--pw-file={self.password}", "bench")

    def refresh_token(self):
        """A grant for a client without a library: code flow with PKCE by hand."""
        verifier = secrets.token_urlsafe(40)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        query = urlencode({
            "response_type": "code", "client_id": AGENT, "redirect_uri": REDIRECT, "state": secrets.token_urlsafe(),
            "scope": "openid email offline_access", "code_challenge": challenge, "code_challenge_method": "S256",
            "nonce": secrets.token_urlsafe()})
        answer = build_opener(ProxyHandler({}), NoRedirects).open(f"{self.issuer}/authorize?{query}", timeout=30)
        code = parse_qs(urlsplit(answer.headers["Location"]).query)["code"][0]
        return json.loads(self.page(f"{self.issuer}/token", {
            "grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT, "client_id": AGENT,
            "client_secret": f"{AGENT}-secret", "code_verifier": verifier}))["refresh_token"]

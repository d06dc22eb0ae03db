#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
"""ask.py ACCOUNT URL: gets URL with a token of ACCOUNT; after a 401 once more, with another one."""
import json
import os
import socket
import sys
import urllib.error
import urllib.request

account, url = sys.argv[1:]
path = os.environ.get("TOKEND_SOCKET") or os.environ["XDG_RUNTIME_DIR"] + "/tokend/tokend.sock"
daemon = socket.socket(socket.AF_UNIX)
daemon.connect(path)
answers = daemon.makefile()


def ask(**more):
    line = json.dumps({"method": "token.get", "params": {"account": account, **more}})
    daemon.sendall(line.encode() + b"\n")
    answer = json.loads(answers.readline())
    if "error" in answer:  # such as `login_required`; the sentence is for a person
        sys.exit(answer["error"]["message"])
    token = answer["result"]["access_token"]
    request = urllib.request.Request(url)
    # Unlike `headers=`, this stays out of the request that follows a redirect, which may lead to another host.
    request.add_unredirected_header("Authorization", "Bearer " + token)
    return token, request


token, request = ask()
try:
    response = urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    if error.code != 401:
        raise
    response = urllib.request.urlopen(ask(rejected=token)[1])  # names the token that was refused
print(response.read().decode())

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

// ask ACCOUNT: prints the header with a token of ACCOUNT, for a program that reads it: ask work | curl -H @- URL
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

int main(int count, char **words)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *named = getenv("TOKEND_SOCKET"), *folder = getenv("XDG_RUNTIME_DIR");
    if (count != 2 || strpbrk(words[1], "\"\\") || !(named || folder)) return 64;
    snprintf(address.sun_path, sizeof address.sun_path, "%s%s", named ? named : folder,
             named ? "" : "/tokend/tokend.sock");
    int daemon = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(daemon, (struct sockaddr *)&address, sizeof address)) return perror("tokend"), 69;
    dprintf(daemon, "{\"method\":\"token.get\",\"params\":{\"account\":\"%s\"}}\n", words[1]);
    char answer[65536], name[] = "\"access_token\":\"";
    if (!fgets(answer, sizeof answer, fdopen(daemon, "r"))) return 75;
    // A JSON library reads it better; without one, a token with an escape in it is not taken.
    char *token = strstr(answer, name), *end = token ? strpbrk(token += sizeof name - 1, "\"\\") : NULL;
    if (!end || *end == '\\') return fputs(answer, stderr), 1;
    *end = 0;
    return printf("Authorization: Bearer %s\n", token) < 0;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import StrictJSON
import TestSupport

/// Real Flatpaks, built and installed here without any network: each holds one program, which sends what it is told to
/// and says what comes back.
struct FlatpakStand {
    private static let source = """
        #include <stdio.h>
        #include <string.h>
        #include <sys/socket.h>
        #include <sys/un.h>
        int main(int count, char **words) {
            struct sockaddr_un address = { .sun_family = AF_UNIX };
            int s = socket(AF_UNIX, SOCK_STREAM, 0);
            strncpy(address.sun_path, words[1], sizeof address.sun_path - 1);
            if (connect(s, (void *)&address, sizeof address)) { perror("connect"); return 1; }
            FILE *lines = fdopen(s, "r+");
            static char line[1 << 20];
            for (int i = 2; i < count; i++) {
                fprintf(lines, "%s\\n", words[i]);
                fflush(lines);
                if (!fgets(line, sizeof line, lines)) return 2;
                fputs(line, stdout);
            }
            return 0;
        }

        """
    private let stand: Stand
    private let environment: [String: String]

    /// Builds one Flatpak for each ID.
    init(_ stand: Stand, _ ids: String...) async throws {
        for program in ["/usr/bin/flatpak", "/usr/bin/gcc"] { try MissingPrerequisite.require(program: program) }
        self.stand = stand
        environment = stand.session.environment.merging(["SHELL": "/bin/sh"]) { $1 }
        let folder = stand.session.folder + "/flatpak"
        let files = FileManager.default
        for path in ["runtime/files", "runtime/usr"] + ids.flatMap({ ["\($0)/files/bin", "\($0)/export"] }) {
            try files.createDirectory(atPath: "\(folder)/\(path)", withIntermediateDirectories: true)
        }
        func write(_ text: String, _ path: String) throws {
            try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(path)"))
        }
        let platform = "org.example.Platform"
        try write("[Runtime]\nname=\(platform)\nruntime=\(platform)/x86_64/1\n", "runtime/metadata")
        try write(Self.source, "ask.c")
        // There is nothing in the runtime: the program brings all that it needs.
        try await run("gcc", "-static", "-O1", "-w", "-o", folder + "/ask", folder + "/ask.c")
        try await run("flatpak", "build-export", "--runtime", folder + "/repo", folder + "/runtime", "1")
        for id in ids {
            let context = "[Context]\nfilesystems=xdg-run/tokend;\n"
            let metadata = "[Application]\nname=\(id)\nruntime=\(platform)/x86_64/1\ncommand=ask\n\n" + context
            try write(metadata, "\(id)/metadata")
            try files.copyItem(atPath: folder + "/ask", toPath: "\(folder)/\(id)/files/bin/ask")
            try await run("flatpak", "build-export", folder + "/repo", "\(folder)/\(id)", "1")
        }
        try await run("flatpak", "--user", "remote-add", "--no-gpg-verify", "local", folder + "/repo")
        try await run(["flatpak", "--user", "install", "-y", "--noninteractive", "local", platform + "//1"] + ids)
    }

    /// What the Flatpak is answered, request by request on one connection.
    func ask(_ id: String, _ requests: [JSONObject]) async throws -> [JSONObject] {
        let lines = requests.map { String(decoding: JSONWriter.bytes(.object($0)), as: UTF8.self) }
        let output = try await run(["flatpak", "--user", "run", id, stand.world.socketPath] + lines)
        return try output.split(separator: "\n").compactMap { try JSONReader().read(String($0)).object }
    }

    /// The answer to one request.
    func ask(_ id: String, _ method: String, _ params: JSONObject = [:]) async throws -> JSONObject {
        try await ask(id, [["method": .string(method), "params": .object(params)]]).first ?? [:]
    }

    private func run(_ words: String...) async throws { try await run(words) }

    @discardableResult private func run(_ words: [String]) async throws -> String {
        let finished = try await ChildProcess.run(
            "/usr/bin/" + words[0],
            Array(words.dropFirst()),
            environment: environment,
            within: .seconds(60)
        )
        guard finished.status == .code(0) else {
            throw ChildProcessError("\(words.joined(separator: " ")): \(finished.errors)")
        }
        return finished.output
    }
}

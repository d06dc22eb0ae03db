// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Synchronization
import Testing
import tokenctl

/// `credential aws`, as AWS' documentation has AssumeRoleWithWebIdentity and `credential_process`.
/// One at a time: two of them hold a thread of the pool until their watcher, which needs another one, ends them.
@Suite(.serialized) struct AWSCredentialTests {
    private static let role = "arn:aws:iam::123456789012:role/work"
    private static let token: JSONObject = [
        "access_token": "to.ken", "id_token": "i.d.t", "id_token_expires_at": 1_000_600, "expires_at": 2_000_000,
    ]

    private static func request(
        _ values: [String: [String]],
        _ environment: [String: String] = [:]
    ) throws -> RoleRequest {
        try RoleRequest(Invocation(verb: .credentialAWS, values: values), environment: environment)
    }

    @Test func `the request has the role, a session's name and the ID token`() throws {
        let request = try Self.request(["--role": [Self.role], "--duration": ["1h"]])
        #expect(request.endpoint == "https://sts.amazonaws.com/")
        #expect(
            request.body(idToken: "i.d+t")
                == "Action=AssumeRoleWithWebIdentity&Version=2011-06-15"
                + "&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fwork&RoleSessionName=tokend"
                + "&WebIdentityToken=i.d%2Bt&DurationSeconds=3600"
        )
    }

    @Test func `what a flag does not say, AWS' own variables do`() throws {
        let variables = ["AWS_ROLE_ARN": Self.role, "AWS_ROLE_SESSION_NAME": "anna", "AWS_REGION": "eu-central-1"]
        let request = try Self.request([:], variables)
        #expect(request.endpoint == "https://sts.eu-central-1.amazonaws.com/")
        #expect(request.body(idToken: "t").contains("RoleSessionName=anna&"))
        #expect(
            try Self.request(["--region": ["cn-north-1"]], variables).endpoint
                == "https://sts.cn-north-1.amazonaws.com.cn/"
        )
        let own = ["AWS_ROLE_ARN": Self.role, "AWS_ENDPOINT_URL_STS": "http://127.0.0.1:9000"]
        #expect(try Self.request([:], own).endpoint == "http://127.0.0.1:9000")
    }

    @Test(arguments: [
        [:], ["--role": ["work"]], ["--role": [role], "--session": ["two words"]],
        ["--role": [role], "--region": ["x.evil.example/"]], ["--role": [role], "--endpoint": ["http://sts.example"]],
        ["--role": [role], "--duration": ["long"]],
    ]) func `a token goes nowhere that was not meant`(_ values: [String: [String]]) {
        #expect(throws: TokenctlError.self) { try Self.request(values) }
    }

    private static let answer = """
        <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
          <AssumeRoleWithWebIdentityResult>
            <SubjectFromWebIdentityToken>anna</SubjectFromWebIdentityToken>
            <Credentials>
              <SessionToken>AQo/DXd+Wq==</SessionToken>
              <SecretAccessKey>wJalr/XUt&amp;nFEMI</SecretAccessKey>
              <Expiration>2026-10-24T23:00:23Z</Expiration>
              <AccessKeyId>ASgeIAIOSFODNN7EXAMPLE</AccessKeyId>
            </Credentials>
          </AssumeRoleWithWebIdentityResult>
        </AssumeRoleWithWebIdentityResponse>
        """

    @Test func `the answer's keys are printed as a credential_process has them`() throws {
        #expect(
            try RoleAnswer(status: 200, body: Array(Self.answer.utf8)).document() == [
                "Version": 1, "AccessKeyId": "ASgeIAIOSFODNN7EXAMPLE", "SecretAccessKey": "wJalr/XUt&nFEMI",
                "SessionToken": "AQo/DXd+Wq==", "Expiration": "2026-10-24T23:00:23Z",
            ]
        )
        for body in ["", "<html></html>", Self.answer.replacing("</AccessKeyId>", with: "<b></AccessKeyId>")] {
            let error = #expect(throws: TokenctlError.self) {
                try RoleAnswer(status: 200, body: Array(body.utf8)).document()
            }
            #expect(error?.exitCode == 65)
        }
    }

    @Test(arguments: [
        (400, "InvalidIdentityToken", Int32(77)), (403, "AccessDenied", 77), (400, "IDPCommunicationError", 75),
        (503, "ServiceUnavailable", 75),
    ]) func `a refusal says what AWS says, and whether it passes`(_ status: Int, _ code: String, _ exit: Int32) {
        let text =
            "<ErrorResponse><Error><Type>Sender</Type><Code>\(code)</Code>"
            + "<Message>No \u{1B}[31mprovider</Message></Error></ErrorResponse>"
        let error = #expect(throws: TokenctlError.self) {
            try RoleAnswer(status: status, body: Array(text.utf8)).document()
        }
        #expect(error?.exitCode == exit)
        #expect(error?.message.hasPrefix("AWS’ token service refuses the role (\(code)): No ") == true)
        #expect(error?.message.contains("\u{1B}") == false)
    }

    @Test func `without curl, or without a role, it says what to do`() throws {
        let daemon = try StandInDaemon { _ in .result(Self.token) }
        defer { daemon.stop() }
        let bare = try Surroundings().run(["credential", "aws", "--role", Self.role], daemon)
        #expect(bare.code == 69 && bare.talk.contains("apt install curl") && daemon.requests.isEmpty)
        #expect(try Surroundings().run(["credential", "aws"], daemon).code == 64)
    }

    @Test func `the file has the next token before the first one ends, and goes with the signal`() async throws {
        let asked = Mutex(0)
        let daemon = try StandInDaemon { _ in
            let number = asked.withLock { count in
                count += 1
                return count
            }
            // The first holds for so long that it is half used up in five seconds.
            let end: Int64 = number == 1 ? 1_000_011 : 1_003_600
            return .result(["id_token": .string("i.d.\(number)"), "id_token_expires_at": .integer(end)])
        }
        defer { daemon.stop() }
        let file = try TemporaryFile("")
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        var there = Surroundings()
        there.interruption = Interruption(descriptor: ends[0])
        let signal = ends[1]
        let watcher = Task.detached {
            // Until the second one is there; the limit is the daemon's patience.
            for _ in 0..<3000 {
                if try file.text() == "i.d.2" { break }
                poll(nil, 0, 10)
            }
            var number = UInt8(SIGTERM)
            return write(signal, &number, 1) == 1 && asked.withLock { $0 } == 2
        }
        let outcome = try there.run(["credential", "aws", "--web-identity-file", file.path], daemon)
        #expect(try await watcher.value && outcome.code == 128 + SIGTERM, "\(outcome)")
        #expect(access(file.path, F_OK) != 0)
    }

    @Test func `the file is a new one of its owner's, whatever has its name in a folder of everybody's`() async throws {
        let daemon = try StandInDaemon { _ in .result(Self.token) }
        defer { daemon.stop() }
        let others = try TemporaryFile("theirs", mode: 0o666)
        let file = try TemporaryFile("")
        #expect(unlink(file.path) == 0 && symlink(others.path, file.path) == 0)
        // The name that a process of this number would have been expected to write to first.
        let expected = "\(file.path).\(getpid())"
        #expect(close(open(expected, O_WRONLY | O_CREAT | O_EXCL, 0o666)) == 0)
        defer { unlink(expected) }
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        var there = Surroundings()
        there.interruption = Interruption(descriptor: ends[0])
        let signal = ends[1]
        let watcher = Task.detached {
            var status = stat()
            for _ in 0..<3000 {
                if lstat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { break }
                poll(nil, 0, 10)
            }
            let text = try file.text()
            var number = UInt8(SIGTERM)
            return write(signal, &number, 1) == 1 && text == "i.d.t" && status.st_mode & 0o777 == 0o600
        }
        let outcome = try there.run(["credential", "aws", "--web-identity-file", file.path], daemon)
        #expect(try await watcher.value && outcome.code == 128 + SIGTERM, "\(outcome)")
        #expect(try others.text() == "theirs")
        var status = stat()
        #expect(stat(expected, &status) == 0 && status.st_size == 0)
    }

    @Test func `the file is written anew five minutes before its end, or halfway where that is sooner`() {
        #expect(WebIdentityFile.pause(end: 4600, now: 1000, isFailing: false) == 3300)
        #expect(WebIdentityFile.pause(end: 1400, now: 1000, isFailing: false) == 200)
        #expect(WebIdentityFile.pause(end: 1004, now: 1000, isFailing: false) == 3)
        #expect(WebIdentityFile.pause(end: nil, now: 1000, isFailing: false) == 300)
        #expect(WebIdentityFile.pause(end: 4600, now: 1000, isFailing: true) == 30)
        // Whatever a daemon says, it is a time that can be waited for.
        #expect(WebIdentityFile.pause(end: .min, now: 1000, isFailing: false) == 3)
        #expect(WebIdentityFile.pause(end: .max, now: 1000, isFailing: false) <= TimeLeft.longest)
        #expect(TimeLeft.seconds(until: .min, from: .max) == 0 && TimeLeft.seconds(until: 1030, from: 1000) == 30)
        #expect(TimeLeft.seconds(until: .max, from: .min) == TimeLeft.longest)
    }
}

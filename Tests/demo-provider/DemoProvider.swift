// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TestSupport

/// The provider of `scripts/demo` and `scripts/bench`: prints its issuer as one line, then what clients ask of it on
/// standard error, until SIGTERM or SIGINT. From SIGUSR1 to SIGUSR2 its token endpoint hangs.
@main
struct DemoProvider {
    static let usage = """
        usage: demo-provider [OPTION...]

        An OAuth provider on 127.0.0.1 to try tokend with. It prints its issuer.

          --port PORT             where it listens; by default the system chooses
          --lifetime SECONDS      how long an access token holds; 3600 by default
          --auto-approve          ask nobody: every sign-in is alice's
          --keep-refresh-tokens   do not replace a refresh token when it is used
          --client ID:SECRET      a confidential client, beside the public one, tokend
          --help                  this text

        """

    static func main() {
        var settings = ProviderSettings()
        settings.otherUsers = [.bob]
        settings.sendsDate = true
        // Keys are new at each start, and so are their names.
        settings.keyPrefix = String(UInt64.random(in: 0 ... .max), radix: 36)
        var port: UInt16 = 0
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            switch argument {
            case "-h", "--help":
                print(usage, terminator: "")
                exit(0)
            case "--auto-approve": settings.authorization = .approve
            case "--client": settings.clients.append(client(arguments.popFirst()))
            case "--keep-refresh-tokens": settings.refreshTokens = .lasting
            case "--lifetime": settings.accessTokenLifetime = number(arguments.popFirst())
            case "--port": port = number(arguments.popFirst())
            default: fail(usage)
            }
        }
        let signals = blockedSignals()
        do {
            let provider = try FakeProvider(settings, port: port)
            provider.onEvent(tell)
            print(provider.issuer)
            fflush(nil)
            write("demo-provider: sign in as alice / wonderland (or bob / builder); client tokend\n")
            obey(signals, provider)
            provider.stop()
        } catch {
            fail("demo-provider: \(error)\n", code: 70)
        }
    }

    private static func number<Number: FixedWidthInteger>(_ text: String?) -> Number {
        guard let text, let number = Number(text) else { fail(usage) }
        return number
    }

    /// A confidential client beside the public one.
    private static func client(_ text: String?) -> ProviderClient {
        guard let parts = text?.split(separator: ":", maxSplits: 1), parts.count == 2 else { fail(usage) }
        return ProviderClient(id: String(parts[0]), secret: String(parts[1]))
    }

    /// One line an answer, without anything secret.
    private static func tell(_ event: ProviderEvent) {
        guard case .answered(let status) = event.phase, event.endpoint != .other else { return }
        let grant = event.endpoint == .token ? event.parameters["grant_type"].map { " \($0)" } ?? "" : ""
        write("demo-provider: \(event.endpoint.rawValue)\(grant) \(status)\n")
    }

    /// As `tell`, and one line a token request that is kept waiting.
    private static func tellWaiting(_ event: ProviderEvent) {
        if event.endpoint == .token, event.phase == .arrived { write("demo-provider: token waits\n") }
        tell(event)
    }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }

    private static func fail(_ text: String, code: Int32 = 64) -> Never {
        write(text)
        exit(code)
    }

    /// Blocks the signals that are obeyed; to be called before the first thread.
    private static func blockedSignals() -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT, SIGUSR1, SIGUSR2] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        return signals
    }

    /// Returns when the program is to end.
    private static func obey(_ signals: sigset_t, _ provider: FakeProvider) {
        var signals = signals
        var number: Int32 = 0
        var gate = Gate()
        while sigwait(&signals, &number) == 0 {
            switch number {
            case SIGUSR1:
                gate = Gate()
                provider.onEvent(tellWaiting)
                provider.scriptAlways(.token, .hang(until: gate))
                write("demo-provider: the token endpoint hangs\n")
            case SIGUSR2:
                provider.scriptAlways(.token, nil)
                provider.onEvent(tell)
                gate.open()
            default: return
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TestSupport

/// The provider of `scripts/demo`: prints its issuer as one line, then what clients ask of it on standard error,
/// until SIGTERM or SIGINT.
@main
struct DemoProvider {
    static let usage = "usage: demo-provider [--lifetime SECONDS] [--auto-approve] [--port PORT]\n"

    static func main() {
        var settings = ProviderSettings()
        var port: UInt16 = 0
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            switch argument {
            case "--auto-approve": settings.authorization = .approve
            case "--lifetime": settings.accessTokenLifetime = number(arguments.popFirst())
            case "--port": port = number(arguments.popFirst())
            default: fail(usage)
            }
        }
        let ends = blockedSignals()
        do {
            let provider = try FakeProvider(settings, port: port)
            provider.onEvent(tell)
            print(provider.issuer)
            fflush(nil)
            awaitSignal(ends)
            provider.stop()
        } catch {
            fail("demo-provider: \(error)\n", code: 70)
        }
    }

    private static func number<Number: FixedWidthInteger>(_ text: String?) -> Number {
        guard let text, let number = Number(text) else { fail(usage) }
        return number
    }

    /// One line an answer, without anything secret.
    private static func tell(_ event: ProviderEvent) {
        guard case .answered(let status) = event.phase, event.endpoint != .other else { return }
        let grant = event.endpoint == .token ? event.parameters["grant_type"].map { " \($0)" } ?? "" : ""
        write("demo-provider: \(event.endpoint.rawValue)\(grant) \(status)\n")
    }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }

    private static func fail(_ text: String, code: Int32 = 64) -> Never {
        write(text)
        exit(code)
    }

    /// Blocks the signals that end the program; to be called before the first thread.
    private static func blockedSignals() -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        return signals
    }

    private static func awaitSignal(_ signals: sigset_t) {
        var signals = signals
        var number: Int32 = 0
        sigwait(&signals, &number)
    }
}

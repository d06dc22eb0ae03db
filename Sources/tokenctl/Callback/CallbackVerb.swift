// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON
import TokendProtocol

extension Verb {
    /// `tokenctl callback`: passes on a redirect to a private-use scheme, and manages the desktop file that makes the
    /// desktop call it.
    package static let callback = Verb(
        "callback",
        operands: [.text("URL")],
        flags: .of(.install, .remove, .status),
        summary: "finish a sign-in with its final address",
        details: [
            "The desktop runs this where a redirect URI has a scheme of an application's",
            "own. With - the address is read from stdin. The sign-in is found by itself,",
            "and ends as tokenctl login does.",
        ],
        examples: [
            "tokenctl callback --install com.example.app",
            "tokenctl callback -",
        ]
    ) { context throws(TokenctlError) in
        try CallbackVerb(context: context).run()
    }
}

extension Flag<String> {
    static var install: Flag {
        Flag("--install", .text("SCHEME"), "have the desktop open com.example.app: with this verb")
    }
    static var remove: Flag { Flag("--remove", .text("SCHEME"), "undo that") }
}

extension Flag<Bool> {
    static var status: Flag { Flag("--status", "which schemes are opened with it") }
}

/// Implements `callback`.
private struct CallbackVerb {
    let context: CommandContext
    private var console: Console { context.console }

    func run() throws(TokenctlError) -> Int32 {
        let invocation = context.invocation
        let url = invocation.operands.first
        let wishes = [url != nil, invocation.has(.install), invocation.has(.remove), context[.status]]
        guard wishes.filter({ $0 }).count == 1 else {
            throw .usage("callback takes a URL, or one of --install, --remove and --status", next: Self.nextSteps)
        }
        if let url { return try handIn(url) }
        if let scheme = invocation[.install] { return try install(scheme) }
        if let scheme = invocation[.remove] { return try remove(scheme) }
        return try showHandlers()
    }

    private static let nextSteps = ["tokenctl callback --help"]

    private func handIn(_ text: String) throws(TokenctlError) -> Int32 {
        let url = text == "-" ? try SecretInput(console, "the address").read("-") : Secret(text)
        let desktop = DesktopWord(context)
        do throws(TokenctlError) {
            let result = try context.ask(LoginComplete.self, LoginComplete.Parameters(url: url))
            let lines = Welcome(result.result).lines(result.account, now: context.now)
            context.finish(result) { lines.forEach(console.say) }
            desktop?.show("Signed in", lines.joined(separator: " "))
        } catch {
            desktop?.show("The sign-in did not succeed", error.message)
            throw error
        }
        return ExitCode.success
    }

    private func install(_ scheme: String) throws(TokenctlError) -> Int32 {
        let installation = try installation(scheme)
        try installation.install(replacing: true)
        context.finish(Self.row(installation)) {
            console.say(
                "\(installation.scheme): is opened by tokenctl now, so that the redirects of sign-ins are received."
            )
            console.sayNext(["tokenctl callback --remove \(installation.scheme)   (undoes it)"])
        }
        return ExitCode.success
    }

    private func remove(_ scheme: String) throws(TokenctlError) -> Int32 {
        let installation = try installation(scheme)
        let isRemoved = try installation.remove()
        context.finish(Self.row(installation)) {
            let name = installation.scheme
            console.say(isRemoved ? "\(name): is not opened by tokenctl any more." : "\(name): was not tokenctl's.")
        }
        return ExitCode.success
    }

    private func showHandlers() throws(TokenctlError) -> Int32 {
        var rows: [JSONObject] = []
        for scheme in HandlerInstallation.schemes(environment: context.world.environment) {
            guard let installation = try? installation(scheme) else { continue }
            rows.append(Self.row(installation))
        }
        context.finish(["handlers": .array(rows.map { .object($0) })]) {
            if rows.isEmpty { console.say("No scheme is opened by tokenctl.") }
            for row in rows {
                let words = ["scheme", "state", "opened_by"].compactMap { row[$0]?.string }
                console.print(words.joined(separator: "  "))
            }
        }
        return ExitCode.success
    }

    private func installation(_ scheme: String) throws(TokenctlError) -> HandlerInstallation {
        try HandlerInstallation(scheme, world: context.world)
    }

    private static func row(_ installation: HandlerInstallation) -> JSONObject {
        var row: JSONObject = ["scheme": .string(installation.scheme)]
        switch installation.state {
        case .installed: row["state"] = "installed"
        case .absent: row["state"] = "absent"
        case .taken(let other):
            row["state"] = "taken"
            row["opened_by"] = .string(TerminalText.sanitized(other))
        }
        row["file"] = installation.file.map { .string($0) }
        return row
    }
}

extension HandlerInstallation {
    /// In the environment of one run of the program.
    init(_ scheme: String, world: Program.World) throws(TokenctlError) {
        try self.init(scheme, environment: world.environment, program: world.ownPath())
    }
}

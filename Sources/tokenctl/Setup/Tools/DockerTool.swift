// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// docker, whose settings are JSON and whose helpers are told no account.
struct DockerTool: SetupTool {
    let name = "docker"
    let kind: ToolKind? = nil

    func add(_ context: CommandContext) throws(TokenctlError) {
        let file = try SetupFile(Self.file, context)
        guard context.invocation.account == nil else {
            throw .usage(
                "docker names no account: the registry's provider decides which account is asked",
                next: ["tokenctl help credential docker"]
            )
        }
        guard let host = context[.host], SetupValues.isPlain(host) else {
            throw .usage("which registry? (--host registry.gitlab.com)")
        }
        var settings = try DockerSettings(file.text ?? "")
        guard !settings.hosts.contains(host) else { return file.report([], isChanged: false, context) }
        let hasOurs = !settings.hosts.isEmpty
        try settings.add(host)
        let isChanged = try file.change(to: settings.text, hasOurs: hasOurs)
        file.report(["credHelpers: \(host): tokend"], isChanged: isChanged, context)
    }

    /// It names no account.
    func asks(for account: String, _ context: CommandContext) -> Bool { false }

    /// The registry that is named, else all of ours.
    func undo(_ context: CommandContext) throws(TokenctlError) {
        let file = try SetupFile(Self.file, context)
        var settings = try DockerSettings(file.text ?? "")
        let hosts = settings.hosts
        for host in hosts where context[.host].map({ $0 == host }) ?? true { settings.remove(host) }
        let text = settings.hosts == hosts ? file.text ?? "" : settings.text
        let hasOurs = !settings.hosts.isEmpty
        let isChanged = try file.restore(to: text, hasOurs: hasOurs, isSame: DockerSettings.areSame)
        file.reportUndone(isChanged: isChanged, context)
    }

    private static let file: @Sendable (SetupPlaces) -> String = { places in
        (places["DOCKER_CONFIG"] ?? places.home + "/.docker") + "/config.json"
    }
}

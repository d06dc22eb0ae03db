// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON

/// docker's `config.json`, as far as helpers for registries go. Pure.
package struct DockerSettings: Sendable {
    private static let helper = "tokend"
    private var settings: JSONObject

    /// Reads it; an empty text is one without settings.
    package init(_ text: String) throws(TokenctlError) {
        guard text.contains(where: { !$0.isWhitespace }) else {
            settings = [:]
            return
        }
        guard let read = (try? JSONReader().read(text))?.object else {
            throw TokenctlError(.input, exitCode: ExitCode.configuration, "docker’s config.json is no JSON object")
        }
        settings = read
    }

    /// The registries that ask here.
    package var hosts: [String] { helpers.filter { $0.value.string == Self.helper }.map(\.name) }

    /// Has that registry ask here; refuses where it asks another helper.
    package mutating func add(_ host: String) throws(TokenctlError) {
        var helpers = helpers
        if let other = helpers[host], other.string != Self.helper {
            throw TokenctlError(
                .input,
                exitCode: ExitCode.configuration,
                "\(host) has another helper there already (\(TerminalText.sanitized(other.string ?? "?", limit: 60)))"
            )
        }
        helpers[host] = .string(Self.helper)
        settings["credHelpers"] = .object(helpers)
    }

    /// Takes that registry out, and what is empty then.
    package mutating func remove(_ host: String) {
        var helpers = helpers
        guard helpers[host]?.string == Self.helper else { return }
        helpers[host] = nil
        settings["credHelpers"] = helpers.isEmpty ? nil : .object(helpers)
    }

    /// The file's text; empty where nothing is set.
    package var text: String { settings.isEmpty ? "" : JSONWriter.pretty(.object(settings)) + "\n" }

    /// Whether two texts set the same, however they are written. An empty list of helpers sets nothing.
    package static func areSame(_ one: String, _ other: String) -> Bool {
        guard let one = try? DockerSettings(one), let other = try? DockerSettings(other) else { return false }
        return one.effective == other.effective
    }

    private var effective: JSONObject {
        var settings = settings
        if settings["credHelpers"]?.object?.isEmpty == true { settings["credHelpers"] = nil }
        return settings
    }

    private var helpers: JSONObject { settings["credHelpers"]?.object ?? [:] }
}

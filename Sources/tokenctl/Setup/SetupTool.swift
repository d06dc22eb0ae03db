// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A program that can be set up to ask `tokenctl`. Each is a value in a file of its own, and stands once in `all`.
protocol SetupTool: Sendable {
    var name: String { get }
    /// What a provider's preset may know of it; nil for a tool that presets say nothing of.
    var kind: ToolKind? { get }
    /// Has it ask here.
    func add(_ context: CommandContext) throws(TokenctlError)
    /// Whether it is set up to ask for that account.
    func asks(for account: String, _ context: CommandContext) -> Bool
    /// Takes that back: for the account that is named, else for all.
    func undo(_ context: CommandContext) throws(TokenctlError)
}

/// The tools that there are.
enum SetupTools {
    static let all: [any SetupTool] = [
        BlockTool.git, DockerTool(), KubectlTool(), BlockTool.aws, BlockTool.msmtp, BlockTool.neomutt, BlockTool.mbsync,
    ]

    static var names: [String] { all.map(\.name) }

    /// The one that was typed.
    static func named(_ typed: String?) throws(TokenctlError) -> any SetupTool {
        let help = ["tokenctl setup --help"]
        guard let typed else { throw .usage("which tool? There is: \(names.joined(separator: ", "))", next: help) }
        if let tool = all.first(where: { $0.name == typed }) { return tool }
        let near = NearestName.of(typed, among: names).map { "; did you mean \($0)?" } ?? ""
        throw .usage("setup does not know “\(TerminalText.sanitized(typed, limit: 60))”\(near)", next: help)
    }
}

/// Where programs look for their files.
struct SetupPlaces {
    let home: String
    private let environment: [String: String]

    /// Nil where there is no home.
    init?(environment: [String: String]) {
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        self.home = home
        self.environment = environment
    }

    /// The folder for settings.
    var settings: String { self["XDG_CONFIG_HOME"] ?? home + "/.config" }

    /// A variable that names something.
    subscript(variable: String) -> String? { environment[variable].flatMap { $0.isEmpty ? nil : $0 } }

    /// The first of these that is there.
    func first(_ paths: [String], else other: String) -> String {
        paths.first { access($0, F_OK) == 0 } ?? other
    }
}

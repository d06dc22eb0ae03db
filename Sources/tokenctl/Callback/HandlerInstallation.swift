// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import HTTPTypes
import TokendProtocol

/// Makes the desktop open a private-use scheme with `tokenctl callback`, as `xdg-mime default` would, and reverts that.
struct HandlerInstallation {
    /// The scheme's handler.
    enum State: Equatable {
        case installed
        case absent
        /// Another program's desktop file.
        case taken(String)
    }

    let scheme: String
    private let handler: CallbackHandler
    private let program: String?

    /// - Parameters:
    ///   - scheme: `com.example.app`, or a redirect URI with it.
    ///   - program: the path of `tokenctl`.
    init(_ scheme: String, environment: [String: String], program: String?) throws(TokenctlError) {
        let name = String(scheme.prefix { $0 != ":" })
        guard let url = try? WebURL(name + ":/"), url.isPrivateUse else {
            let shown = TerminalText.sanitized(name, limit: 60)
            throw .usage("“\(shown)” is no application's scheme: that is a domain in reverse, such as com.example.app")
        }
        self.scheme = url.scheme
        self.program = program
        handler = CallbackHandler(scheme: url.scheme, environment: environment)
    }

    /// The desktop file.
    var file: String? { handler.file }

    var state: State {
        let name = handler.opener { PlainFile($0).text }
        return name.map { $0 == handler.name ? .installed : .taken($0) } ?? .absent
    }

    /// Writes the desktop file and makes it the default, unless that is done already.
    ///
    /// - Parameter replacing: whether the scheme may be taken from another program.
    func install(replacing: Bool) throws(TokenctlError) {
        if case .taken(let other) = state, !replacing {
            throw TokenctlError(
                .input,
                exitCode: ExitCode.noPermission,
                "\(scheme): is opened by another program (\(TerminalText.sanitized(other)))",
                next: ["tokenctl callback --install \(scheme)   (takes it over)"]
            )
        }
        guard let file = handler.file, let list = handler.list else {
            throw TokenctlError(.input, exitCode: ExitCode.configuration, "there is no home folder: HOME is not set")
        }
        guard let program else {
            throw TokenctlError(.input, exitCode: ExitCode.unavailable, "tokenctl does not know its own path")
        }
        try PlainFile(file).write(DesktopEntry(scheme: scheme, type: handler.type, program: program).text)
        var associations = MimeAppsList(PlainFile(list).text ?? "")
        let others = associations.defaults(for: handler.type).filter { $0 != handler.name }
        associations.set([handler.name] + others, for: handler.type)
        try PlainFile(list).write(associations.text)
        guard case .taken(let other) = state else { return }
        throw TokenctlError(
            .input,
            exitCode: ExitCode.configuration,
            "\(scheme): is still opened by \(TerminalText.sanitized(other)): another mimeapps.list goes above \(list)"
        )
    }

    /// Reverts both; false if there was nothing to revert. The program that opened the scheme before does so again.
    func remove() throws(TokenctlError) -> Bool {
        guard let file = handler.file, let list = handler.list else { return false }
        var isChanged = false
        if let text = PlainFile(list).text {
            var associations = MimeAppsList(text)
            let names = associations.defaults(for: handler.type)
            if names.contains(handler.name) {
                associations.set(names.filter { $0 != handler.name }, for: handler.type)
                try PlainFile(list).write(associations.text)
                isChanged = true
            }
        }
        return unlink(file) == 0 || isChanged
    }

    /// The schemes with a desktop file of ours.
    static func schemes(environment: [String: String]) -> [String] {
        let sample = CallbackHandler(scheme: "x", environment: environment)
        guard let file = sample.file, let folder = opendir(String(file.dropLast(sample.name.count))) else { return [] }
        defer { closedir(folder) }
        var found: [String] = []
        while let entry = readdir(folder) {
            let bytes = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            let name = String(decoding: bytes, as: UTF8.self)
            guard name.hasPrefix("tokend-"), name.hasSuffix(".desktop") else { continue }
            found.append(String(name.dropFirst("tokend-".count).dropLast(".desktop".count)))
        }
        return found.sorted()
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON
import TokendProtocol

/// The daemon's own settings: `config.json5`.
package struct DaemonConfiguration: Sendable, Equatable {
    /// Where grants are kept.
    package enum Store: String, Sendable, CaseIterable {
        /// The Secret Service; there is no silent fallback.
        case auto
        case secretService = "secret-service"
        /// An encrypted file: `store_file` says which.
        case file
        /// For tests and for users who want nothing stored.
        case memory
    }

    /// The log level; each includes the ones before it.
    package enum LogLevel: String, Sendable, CaseIterable, Comparable {
        case error
        case warning
        case notice
        case info
        case debug

        package static func < (left: LogLevel, right: LogLevel) -> Bool {
            left.rank < right.rank
        }

        /// The priority of syslog(3) and the journal.
        package var rank: Int {
            switch self {
            case .error: 3
            case .warning: 4
            case .notice: 5
            case .info: 6
            case .debug: 7
            }
        }
    }

    /// How providers are reached.
    package struct Wire: Sendable, Equatable {
        package var proxy: String?
        package var caFile: String?
        /// The SHA-256 of that file's content, in hexadecimal.
        package var caDigest: String?
        /// For one whole request, in seconds.
        package var timeout: Int64 = 30

        fileprivate mutating func read(from reader: inout MemberReader, digestOfFile: (String) -> String?) {
            if let text = reader.string("proxy") {
                proxy = text
                if let fault = Self.fault(ofProxy: text) { reader.fault("proxy", fault) }
            }
            timeout = reader.integer("timeout", in: 1...300) ?? timeout
            if let file = reader.string("ca_file") {
                caFile = file
                caDigest = reader.digest(of: file, named: "ca_file", digestOfFile)
            }
            reader.finish()
        }

        /// The fault of a proxy's address; nil if there is none. Without a scheme it is an HTTP proxy.
        private static func fault(ofProxy text: String) -> String? {
            let mark = text.firstRange(ofText: "://")
            let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
            guard mark.map({ schemes.contains(text[..<$0.lowerBound].lowercased()) }) ?? true else {
                return "must begin with one of: \(schemes.joined(separator: ", "))"
            }
            let address = mark.map { text[$0.upperBound...] } ?? text[...]
            guard !address.contains("@") else {
                return "must not hold a user's name or password: no file of tokend's is a place for them"
            }
            let authority = address.hasSuffix("/") ? address.dropLast() : address
            let isPlain = authority.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"/?#\\".utf8.contains($0) }
            return authority.isEmpty || !isPlain
                ? "is not a proxy's address, such as \"http://proxy.example:3128\"" : nil
        }
    }

    package var store: Store = .auto
    package var storeFile = StoreFile()
    package var defaultAccount: String?
    /// A command and its arguments, no shell; the URL becomes the last argument.
    package var browser: [String]?
    package var wire = Wire()
    package var logLevel: LogLevel = .info
    /// Whether the desktop shows questions and reminders.
    package var notifies = true
    /// Further, restricted sockets.
    package var sockets: [NarrowSocket] = []
    /// The administrator's rules, which are not part of this file.
    package var administrator = AdministratorPolicy()

    package init() {}

    /// Reads one layer of settings on top of these.
    ///
    /// - Throws: every fault that was found, at least one; then nothing of this layer is used.
    package func reading(
        _ source: ConfigurationSource,
        digestOfFile: (String) -> String?
    ) throws(ConfigurationFaults) -> DaemonConfiguration {
        let object = try source.object()
        var reader = MemberReader(object, source: source)
        var settings = self
        settings.store = reader.word("store", as: Store.self) ?? store
        if var inner = reader.inner("store_file") {
            settings.storeFile.read(from: &inner)
            reader.add(inner.faults)
        }
        if let name = reader.string("default_account") {
            if AccountName.isValid(name) {
                settings.defaultAccount = name
            } else {
                reader.fault("default_account", "is not an account's name")
            }
        }
        settings.browser = reader.strings("browser", orString: true) ?? browser
        if settings.browser?.isEmpty == true { reader.fault("browser", "names no command") }
        if var inner = reader.inner("http") {
            settings.wire.read(from: &inner, digestOfFile: digestOfFile)
            reader.add(inner.faults)
        }
        settings.logLevel = reader.word("log_level", as: LogLevel.self) ?? logLevel
        if var inner = reader.inner("sockets") {
            if inner.object.count > MemberReader.mostEntries {
                reader.fault("sockets", "has more than \(MemberReader.mostEntries) entries")
            } else {
                settings.sockets = NarrowSocket.all(from: &inner)
                reader.add(inner.faults)
            }
        }
        settings.notifies = reader.bool("notifications") ?? notifies
        reader.finish()
        guard reader.faults.isEmpty else { throw ConfigurationFaults(reader.faults) }
        return settings
    }
}

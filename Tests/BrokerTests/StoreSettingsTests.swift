// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Testing
import TokendProtocol

/// `store` and `store_file` of `config.json5`.
@Suite struct StoreSettingsTests {
    private func read(_ text: String) throws -> DaemonConfiguration {
        let source = ConfigurationSource(file: "config.json5", bytes: Array(text.utf8))
        return try DaemonConfiguration().reading(source) { _ in nil }
    }

    private func faults(_ text: String) -> [ConfigurationFault] {
        do {
            _ = try read(text)
            return []
        } catch {
            return (error as? ConfigurationFaults)?.list ?? []
        }
    }

    @Test func `a passphrase and the usual path are the defaults`() throws {
        for text in ["{ store: \"file\" }", "{ store: \"file\", store_file: { path: null, key: \"passphrase\" } }"] {
            let settings = try read(text)
            #expect(settings.store == .file)
            #expect(settings.storeFile == .init())
        }
    }

    @Test func `a path and a key file are taken as they are`() throws {
        let file = try read("{ store_file: { path: \"/a/b\", key: \"file:/c d\" } }").storeFile
        #expect(file.path == "/a/b")
        #expect(file.key == .file(path: "/c d"))
    }

    @Test(arguments: [
        ("{ store: \"files\" }", "store"), ("{ store_file: 1 }", "store_file"),
        ("{ store_file: { path: \"grants\" } }", "store_file.path"),
        ("{ store_file: { path: \"~/grants\" } }", "store_file.path"),
        ("{ store_file: { path: \"/grants/\" } }", "store_file.path"),
        ("{ store_file: { key: \"file:key\" } }", "store_file.key"),
        ("{ store_file: { key: \"file:\" } }", "store_file.key"),
        ("{ store_file: { key: \"credential:\" } }", "store_file.key"),
        ("{ store_file: { key: \"credential:a/b\" } }", "store_file.key"),
        ("{ store_file: { key: \"credential:..\" } }", "store_file.key"),
        ("{ store_file: { keys: \"passphrase\" } }", "store_file.keys"),
    ])
    func `what cannot be meant is a fault at its member`(text: String, member: String) {
        #expect(faults(text).map(\.member) == [member])
    }

    @Test func `a passphrase that somebody wrote into the file is not told on`() {
        let faults = faults("{ store_file: { key: \"correct horse\" } }")
        #expect(faults.count == 1)
        #expect(faults.allSatisfy { !$0.description.contains("horse") })
    }

    private func configuration(_ text: String?) -> Configuration {
        var files = Configuration.Files(folder: "/c")
        if let text { files.daemon = [ConfigurationSource(file: "/c/config.json5", bytes: Array(text.utf8))] }
        return Configuration(files: files) { _ in nil }
    }

    @Test(
        arguments: [
            ("{ store: \"file\" }", nil), ("{ store: \"memory\" }", "{ store: \"file\" }"),
            (nil, "{ store: \"file\" }"),
            ("{ store: \"file\" }", "{ store: \"file\", store_file: { path: \"/other\" } }"),
        ] as [(String?, String?)]
    )
    func `another store than at the start is a fault, and the old one stays`(started: String?, now: String?) {
        let settings = configuration(started).daemon
        var changed = configuration(now)
        changed.hold(toStoreOf: settings)
        #expect(changed.daemonFaults.map(\.member) == ["store"])
        #expect(changed.daemon.store == settings.store)
        #expect(changed.daemon.storeFile == settings.storeFile)
    }

    @Test(
        arguments: [
            (nil, "{ store: \"secret-service\" }"),
            ("{ store: \"file\" }", "{ store: \"file\", log_level: \"debug\" }"),
            ("{ store: \"memory\" }", "{ store: \"memory\", store_file: { path: \"/o\" } }"),
        ] as [(String?, String?)]
    )
    func `the same store by other words is none`(started: String?, now: String?) {
        var changed = configuration(now)
        changed.hold(toStoreOf: configuration(started).daemon)
        #expect(changed.daemonFaults.isEmpty)
    }
}

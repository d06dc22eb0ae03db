// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing
import TokendProtocol

@testable import Broker

/// `config.json5`, its layers, and what becomes of a broken one.
@Suite struct DaemonConfigurationTests {
    private static func source(_ text: String, _ file: String = "/etc/tokend/config.json5") -> ConfigurationSource {
        ConfigurationSource(file: file, bytes: Array(text.utf8))
    }

    private static func read(_ texts: String...) throws(ConfigurationFaults) -> DaemonConfiguration {
        var settings = DaemonConfiguration()
        for text in texts {
            settings = try settings.reading(source(text), digestOfFile: { $0 == "/ca.pem" ? "d1" : nil })
        }
        return settings
    }

    private static func faults(_ text: String) -> [ConfigurationFault] {
        do throws(ConfigurationFaults) {
            _ = try read(text)
            return []
        } catch {
            return error.list
        }
    }

    @Test func `every setting that is built is read`() throws {
        let settings = try Self.read(
            """
            { store: "memory", default_account: "work", browser: ["firefox", "--new-window"],
              http: { proxy: "socks5h://proxy.example:1080", ca_file: "/ca.pem", timeout: 10 }, log_level: "debug" }
            """
        )
        #expect(settings.store == .memory && settings.defaultAccount == "work" && settings.logLevel == .debug)
        #expect(settings.browser == ["firefox", "--new-window"])
        #expect(settings.wire.proxy == "socks5h://proxy.example:1080" && settings.wire.timeout == 10)
        #expect(settings.wire.caFile == "/ca.pem" && settings.wire.caDigest == "d1")
    }

    @Test func `the defaults are the documented ones, and naming them is no fault`() throws {
        let named = try Self.read(
            """
            { store: "auto", store_file: { path: null, key: "passphrase" }, default_account: null, browser: null,
              http: { proxy: null, ca_file: null, timeout: 30 }, sockets: {}, notifications: true, log_level: "info" }
            """
        )
        #expect(named == DaemonConfiguration())
        #expect(try Self.read("{ notifications: false }").notifies == false)
        #expect(try Self.read("{}") == DaemonConfiguration())
    }

    @Test(arguments: [
        (#"store: "kwallet""#, "store"), ("store: 1", "store"),
        ("store_file: []", "store_file"), (#"store_file: { path: "x" }"#, "store_file.path"),
        (#"store_file: { path: "/x/" }"#, "store_file.path"), ("store_file: { path: 1 }", "store_file.path"),
        (#"store_file: { key: "hunter2" }"#, "store_file.key"), (#"store_file: { key: "file:x" }"#, "store_file.key"),
        (#"store_file: { passphrase: "x" }"#, "store_file.passphrase"),
        (#"default_account: "a b""#, "default_account"),
        ("default_account: []", "default_account"), ("browser: []", "browser"), ("browser: [1]", "browser"),
        (#"browser: [""]"#, "browser"), ("http: []", "http"), ("http: { timeout: 0 }", "http.timeout"),
        ("http: { timeout: 301 }", "http.timeout"), (#"http: { timeout: "30" }"#, "http.timeout"),
        (#"http: { ca_file: "/none.pem" }"#, "http.ca_file"), (#"http: { ca_file: "ca.pem" }"#, "http.ca_file"),
        (#"http: { proxy: "ftp://p.example" }"#, "http.proxy"), (#"http: { proxy: "http://" }"#, "http.proxy"),
        (#"http: { proxy: "http://u:p@p.example" }"#, "http.proxy"), (#"http: { proxy: "p.example/x" }"#, "http.proxy"),
        ("http: { proxy: 1 }", "http.proxy"), ("http: { verify: false }", "http.verify"),
        ("sockets: { build: { accounts: [] } }", "sockets.build.accounts"), ("notifications: 1", "notifications"),
        (#"log_level: "verbose""#, "log_level"), ("logLevel: 1", "logLevel"),
    ])
    func `a fault names its file, its line and its member`(setting: String, member: String) {
        let faults = Self.faults("{\n\n" + setting + "}")
        #expect(faults.count == 1)
        #expect(faults.first?.member == member && faults.first?.line == 3)
        #expect(faults.first?.file == "/etc/tokend/config.json5")
    }

    @Test func `the file store has a place and a key, and a fault never shows what somebody took for one`() throws {
        let settings = try Self.read(#"{ store: "file", store_file: { path: "/s", key: "file:/k" } }"#)
        #expect(
            settings.store == .file && settings.storeFile.path == "/s" && settings.storeFile.key == .file(path: "/k")
        )
        let fault = Self.faults(#"{ store_file: { key: "hunter2" } }"#).first
        #expect(fault?.message.contains("hunter2") == false)
    }

    @Test(arguments: [
        "http://p.example:3128", "p.example:3128", "https://p.example/", "socks5://[::1]:9050", "SOCKS4A://p",
    ])
    func `a proxy's address is taken as curl takes it`(proxy: String) {
        #expect(Self.faults("{ http: { proxy: '\(proxy)' } }").isEmpty)
    }

    @Test func `the person's layer lies above the administrator's, member for member`() throws {
        let settings = try Self.read(
            "{ store: 'memory', default_account: 'work', http: { proxy: 'http://p.example', timeout: 10 } }",
            "{ default_account: 'home', http: { timeout: 20 }, store: null }"
        )
        #expect(settings.store == .memory && settings.defaultAccount == "home")
        #expect(settings.wire.proxy == "http://p.example" && settings.wire.timeout == 20)
    }

    // MARK: All files of one moment

    private static func configuration(
        daemon: [String],
        accounts: [String: String] = [:],
        previous: DaemonConfiguration = DaemonConfiguration(),
        _ change: (inout Configuration.Files) -> Void = { _ in }
    ) -> Configuration {
        var files = Configuration.Files(
            folder: "/home/u/.config/tokend",
            daemon: daemon.map { source($0) },
            accounts: accounts.mapValues { source($0, "/accounts") }
        )
        change(&files)
        return Configuration(files: files, previous: previous, digestOfFile: { _ in nil })
    }

    private static var good: DaemonConfiguration {
        var settings = DaemonConfiguration()
        settings.defaultAccount = "last"
        return settings
    }

    @Test(arguments: [
        ["{"], ["{ store: 'x' }"], ["{ store: 'memory' }", "{ colour: 1 }"], ["{", "{ store: 'memory' }"],
    ])
    func `a broken config.json5 keeps the last good one in force`(daemon: [String]) {
        let configuration = Self.configuration(daemon: daemon, previous: Self.good)
        #expect(configuration.daemon == Self.good && configuration.daemonFaults.count == 1)
        #expect(configuration.faults == configuration.daemonFaults)
    }

    @Test func `so does one that cannot be read`() {
        let fault = ConfigurationFault(file: "/c", message: "cannot be read")
        let configuration = Self.configuration(daemon: ["{ store: 'memory' }"], previous: Self.good) {
            $0.daemonFaults = [fault]
        }
        #expect(configuration.daemon == Self.good && configuration.daemonFaults == [fault])
    }

    @Test func `an account's fault disables that account alone`() {
        let good = "{ issuer: 'https://i.example', client_id: 'c' }"
        let configuration = Self.configuration(daemon: [], accounts: ["a": good, "b": "{", "c": "{}", "-d": good]) {
            $0.accountFaults["f"] = ConfigurationFault(file: "/f", message: "cannot be read")
            $0.folderFaults = [ConfigurationFault(file: "/g", message: "cannot be listed")]
        }
        #expect(configuration.daemonFaults.isEmpty)
        guard case .usable? = configuration.accounts["a"] else {
            Issue.record("The good account is not usable.")
            return
        }
        #expect(Set(configuration.accounts.keys) == ["a", "b", "c", "f"])
        for name in ["b", "c", "f"] {
            guard case .misconfigured? = configuration.accounts[name] else {
                Issue.record("\(name) is usable.")
                continue
            }
        }
        #expect(configuration.faults.count == 6 && configuration.faults.first?.file == "/g")
        #expect(configuration.faults[1].message.contains("must begin with a letter or digit"))
    }

    @Test func `a default account that is not there is a fault at its line, and nothing is broken by it`() {
        let account = ["work": "{ issuer: 'https://i.example', client_id: 'c' }"]
        let text = "{\n default_account: 'nope' }"
        let configuration = Self.configuration(daemon: [text, "{}"], accounts: account)
        #expect(configuration.daemonFaults.isEmpty && configuration.daemon.defaultAccount == "nope")
        #expect(configuration.faults.map(\.member) == ["default_account"] && configuration.faults.first?.line == 2)
        #expect(configuration.faults.first?.message == "there is no account “nope”")
        #expect(Self.configuration(daemon: [text, "{ default_account: 'work' }"], accounts: account).faults.isEmpty)
        let near = Self.configuration(daemon: ["{ default_account: 'wrok' }"], accounts: account).faults.first?.message
        #expect(near == "there is no account “wrok”; did you mean “work”?")
        #expect(Self.configuration(daemon: ["{ default_account: 'work' }"], accounts: ["work": "{"]).faults.count == 1)
    }

    @Test func `faults come in the order of the lines, and a misspelt setting is told its likely name`() {
        let faults = Self.faults("{\n colour: 1,\n 'log-level': 'info',\n http: { time_out: 3 },\n store: 'x' }")
        #expect(faults.map(\.line) == [2, 3, 4, 5])
        let hints = faults.map { $0.message.split(separator: "; ").dropFirst().joined() }
        #expect(hints == ["", "did you mean “log_level”?", "did you mean “timeout”?", ""])
    }

    @Test(arguments: [
        ("store", "fil", "file"), ("store", "secret_service", "secret-service"), ("log_level", "Debug", "debug"),
    ])
    func `a misspelt word is told the likely one`(member: String, typed: String, meant: String) {
        let fault = Self.faults("{ \(member): '\(typed)' }").first?.message
        #expect(fault?.hasPrefix("is none of: ") == true && fault?.hasSuffix("; did you mean “\(meant)”?") == true)
    }
}

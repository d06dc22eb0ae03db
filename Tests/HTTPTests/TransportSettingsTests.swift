// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import HTTP
import Systemd
import Testing

@Suite struct TransportSettingsTests {
    @Test(arguments: [
        ("proxy.example.com:3128", "http://proxy.example.com:3128"),
        ("http://proxy.example.com:3128/", "http://proxy.example.com:3128"),
        ("HTTPS://user:p@ss@proxy.example.com", "https://proxy.example.com"),
        ("socks5h://[::1]:1080", "socks5h://[::1]:1080"),
    ])
    func `a proxy's description is its address without credentials`(text: String, shown: String) throws {
        let proxy = try #require(TransportSettings.Proxy(text))
        #expect("\(proxy)" == shown)
        #expect(!String(reflecting: proxy).contains("p@ss"))
        var dumped = ""
        dump(TransportSettings(proxy: proxy), to: &dumped)
        #expect(!dumped.contains("p@ss"))
    }

    @Test(arguments: [
        "", "ftp://proxy:1", "http://", "http://user@", "http://proxy/path", "http://a b", "http://a\r\nb",
    ])
    func `what is no proxy's address is not taken`(text: String) {
        #expect(TransportSettings.Proxy(text) == nil)
    }

    @Test func `a file of certificates is compared by its content`() throws {
        let one = try CertificateFile(path: "/a", contents: Array("-----BEGIN CERTIFICATE-----\n1".utf8))
        let other = try CertificateFile(path: "/a", contents: Array("-----BEGIN CERTIFICATE-----\n2".utf8))
        #expect(TransportSettings(certificates: one) != TransportSettings(certificates: other))
        #expect(TransportSettings(certificates: one) == TransportSettings(certificates: one))
    }

    @Test func `a file without a certificate is named`() throws {
        let missing = #expect(throws: CertificateFileError.self) { try CertificateFile(path: "/nowhere/ca.pem") }
        #expect(missing?.code == .unreadable(.missing))
        #expect(missing?.message == "cannot read /nowhere/ca.pem: No such file or directory")
        let empty = #expect(throws: CertificateFileError.self) { try CertificateFile(path: "/etc/hostname") }
        #expect(empty?.code == .noCertificate)
        #expect(empty?.message.contains("/etc/hostname") == true)
        let endless = #expect(throws: CertificateFileError.self) { try CertificateFile(path: "/dev/zero") }
        #expect(endless?.code == .unreadable(.notRegular))
    }
}

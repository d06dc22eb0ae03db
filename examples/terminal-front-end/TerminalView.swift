// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A stand-in for a web view: fetches pages of a provider on 127.0.0.1 by plain HTTP (`demo-provider --auto-approve`),
/// and knows where each one leads.
struct TerminalView {
    /// Where the view is to go next; nil where the last page leads nowhere.
    var next: String?

    /// Loads a page.
    mutating func load(_ url: String) {
        next = nil
        let start = "http://127.0.0.1:"
        guard url.hasPrefix(start) else { return }
        let rest = url.dropFirst(start.count)
        let port = rest.prefix { $0.isNumber }
        let path = rest.dropFirst(port.count).prefix { $0 != "#" }
        guard let number = UInt16(port), let answer = Self.fetch(path.isEmpty ? "/" : String(path), port: number) else {
            return
        }
        let location = answer.split(separator: "\r\n").dropFirst().first { $0.lowercased().hasPrefix("location:") }
        guard let location else { return }
        let target = location.dropFirst("location:".count).drop { $0 == " " }
        next = target.hasPrefix("/") ? start + port + target : String(target)
    }

    /// The head of the answer to a GET.
    private static func fetch(_ path: String, port: UInt16) -> String? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n"
        guard connected == 0, send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL)) > 0 else { return nil }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while case let count = recv(descriptor, &chunk, chunk.count, 0), count > 0, bytes.count < 1 << 20 {
            bytes += chunk.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n\r\n", maxSplits: 1).first.map(String.init)
    }
}

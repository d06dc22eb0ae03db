// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CMicroHTTPD
import HTTPTypes

/// The requests of one server, by connection: the entry points of libmicrohttpd's callbacks.
final class ListenerExchanges {
    /// Called with every whole request.
    typealias Handler = (ListenerRequest, ListenerExchange) -> Void

    /// Whether to serve a connection from an address, as `accept(2)` gives it; any other is closed without a byte.
    var admits: (UnsafeRawBufferPointer) -> Bool = { _ in false }

    /// Called when an answer came for a suspended connection: the daemon has to run.
    var whenAnswered: () -> Void = {}

    /// Called with every connection that begins.
    var whenBegun: (OpaquePointer) -> Void = { _ in }

    /// Called with every connection that has a complete request, or has ended.
    var whenWhole: (OpaquePointer) -> Void = { _ in }

    /// Whether a connection has ended since this was last set to false.
    var hasConnectionEnded = false

    /// Nil after the end, so that a handler may hold its own listener.
    private var handler: Handler?
    private var byConnection: [OpaquePointer: ListenerExchange] = [:]

    init(handler: @escaping Handler) {
        self.handler = handler
    }

    /// Whether some answer is not delivered yet.
    var isAnyOwed: Bool { byConnection.values.contains(where: \.isOwed) }

    /// Prepares all connections for the daemon's end, and releases the handler.
    func abandonAll() {
        handler = nil
        for exchange in byConnection.values { exchange.abandon() }
    }

    /// Installs this object's callbacks; it must outlive the daemon.
    func install(in settings: inout tokend_mhd_settings) {
        settings.context = Unmanaged.passUnretained(self).toOpaque()
        settings.accept = { context, name, length in
            let peer = UnsafeRawBufferPointer(start: name, count: Int(length))
            return ListenerExchanges.from(context)?.admits(peer) == true ? .YES : .NO
        }
        settings.target = { context, target, connection in
            ListenerExchanges.from(context)?.begin(connection, target)
            return nil
        }
        settings.handle = { context, connection, _, method, _, bytes, count, _ in
            guard let exchanges = ListenerExchanges.from(context), let connection, let method, let count else {
                return .NO
            }
            let piece = UnsafeRawBufferPointer(start: bytes, count: count.pointee)
            count.pointee = 0
            return exchanges.proceed(connection, method: String(cString: method), piece)
        }
        settings.completed = { context, connection, _, reason in
            ListenerExchanges.from(context)?.end(connection, isDelivered: reason == .REQUEST_TERMINATED_COMPLETED_OK)
        }
        settings.connection = { context, connection, _, what in
            guard let exchanges = ListenerExchanges.from(context), let connection else { return }
            guard what == .CONNECTION_NOTIFY_CLOSED else { return exchanges.whenBegun(connection) }
            exchanges.hasConnectionEnded = true
            exchanges.whenWhole(connection)
            exchanges.end(connection, isDelivered: false)
        }
    }
}

extension ListenerExchanges {
    private static func from(_ context: UnsafeMutableRawPointer?) -> ListenerExchanges? {
        context.map { Unmanaged<ListenerExchanges>.fromOpaque($0).takeUnretainedValue() }
    }

    private func begin(_ connection: OpaquePointer?, _ target: UnsafePointer<CChar>?) {
        guard let connection, let target else { return }
        byConnection[connection] = ListenerExchange(connection: connection, target: String(cString: target)) {
            [weak self] in self?.whenAnswered()
        }
    }

    private func proceed(
        _ connection: OpaquePointer,
        method: String,
        _ bytes: UnsafeRawBufferPointer
    ) -> MHD_Result {
        guard let handler, let exchange = byConnection[connection] else { return .NO }
        return exchange.proceed(
            method: method,
            headers: { Self.headers(of: connection) },
            bytes: bytes
        ) { [whenWhole] request, exchange in
            whenWhole(connection)
            handler(request, exchange)
        }
    }

    private func end(_ connection: OpaquePointer?, isDelivered: Bool) {
        guard let connection, let exchange = byConnection.removeValue(forKey: connection) else { return }
        exchange.end(isDelivered: isDelivered)
    }

    private static func headers(of connection: OpaquePointer) -> HTTPHeaders {
        var headers = HTTPHeaders()
        withUnsafeMutablePointer(to: &headers) { found in
            _ = MHD_get_connection_values(
                connection,
                .HEADER_KIND,
                { context, _, name, value in
                    guard let context, let name, let value else { return .YES }
                    context.assumingMemoryBound(to: HTTPHeaders.self).pointee
                        .append(String(cString: name), String(cString: value))
                    return .YES
                },
                found
            )
        }
        return headers
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Systemd
import TokendProtocol

extension Account {
    /// The exchanges with the provider, made again: its metadata and keys are fetched; a token request is built with a
    /// placeholder for the refresh token, and not sent.
    func trace() async -> [Doctor.Exchange] {
        guard let configuration else { return [] }
        let network = TracingTransport(ports.transport)
        var access = client.access(configuration)
        access.transport = network
        access.directory = ProviderDirectory(transport: network, clock: ports.clock)
        do throws(ProtocolError) {
            let (metadata, endpoint) = try await access.tokenEndpoint()
            if let url = metadata.keySetURL {
                // The recorded exchange shows the result.
                _ = try? await access.directory.keys(at: url, wire: wire)
            }
            let sample: TokenRequest
            do { sample = try configuration.tokenSource.sample() } catch { throw error.protocolError }
            _ = try await access.send(sample, to: endpoint, requested: configuration.scopes)
        } catch {
            var fault = Doctor.Exchange(request: "the next request could not be made", isSent: false)
            fault.received = [error.message]
            return network.exchanges + [fault]
        }
        return network.exchanges
    }
}

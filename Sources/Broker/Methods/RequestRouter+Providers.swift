// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Systemd
import TokendProtocol

extension RequestRouter {
    /// `provider.list`
    func listProviders(_ request: MethodRequest<ProviderList, Void>) -> ProviderList.Result {
        let presets = broker.configuration.presets
        return ProviderList.Result(providers: presets.names.map(presets.description))
    }

    /// `provider.fetch`: an application's list, fetched and checked, but not written.
    func fetchProviders(_ request: MethodRequest<ProviderFetch, Void>) async throws(ProtocolError)
        -> ProviderFetch.Result
    {
        let list = try PublishedProviders(url: request.parameters.url, presets: broker.configuration.presets)
        return try list.read(try await broker.fetch(list.url))
    }
}

extension Broker {
    /// Fetches a public document, by the daemon's transport.
    fileprivate func fetch(_ url: WebURL) async throws(ProtocolError) -> HTTPResponse {
        do throws(TransportError) {
            return try await ports.transport.document(at: url, wire: configuration.daemon.wire.settings())
        } catch {
            throw error.protocolError
        }
    }
}

extension ProviderPresets {
    /// The parts of a preset that a user needs to make an account.
    fileprivate func description(of name: String) -> PresetDescription {
        var description = PresetDescription(provider: name, title: name)
        description.file = file(of: name)
        do throws(ConfigurationFaults) {
            guard let preset = try preset(name) else { return description }
            description.title = preset.title
            description.about = preset.about
            description.registerURL = preset.registration.url
            description.registerAs = preset.registration.kind
            description.redirect = preset.registration.redirect
            description.notes = preset.notes
            description.registersClients = preset.registersClients
            description.asks = preset.asks.map { question in
                .init(
                    name: question.name,
                    about: question.about,
                    kind: question.kind == .word ? nil : question.kind.rawValue,
                    example: question.example,
                    standard: question.standard
                )
            }
            description.tools = preset.tools.map { tool in
                var described = PresetDescription.Tool(tool: tool.kind.rawValue, scopes: tool.scopes)
                described.takesIDToken = tool.takesIDToken
                described.mechanisms = tool.mechanisms
                described.imap = tool.imap
                described.smtp = tool.smtp
                described.note = tool.note
                return described
            }
            description.account = preset.account
        } catch {
            description.fault = error.list.first?.description
        }
        return description
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import TokendProtocol

/// Reads the list of accounts that an application's server publishes: `{"providers": [{"name": …, "issuer": …,
/// "client_id": …, "scopes": […]}, …]}`.
///
/// Unknown members are ignored, since a server may be newer than its clients; an entry that holds a secret, or is not a
/// valid account, is refused alone.
struct PublishedProviders {
    private static let most = 100

    let url: WebURL
    let presets: ProviderPresets

    /// - Throws: `invalid_params` for a URL from which no list may be fetched.
    init(url text: String, presets: ProviderPresets) throws(ProtocolError) {
        guard let url = try? WebURL(text), url.scheme == "https" || (url.scheme == "http" && url.isLoopback) else {
            throw .invalidParams(member: "url", "must be an https URL (http is for loopback addresses alone)")
        }
        self.url = url
        self.presets = presets
    }

    /// The server's answer. An answer without such a list, as from an older server, is no error.
    ///
    /// - Throws: `provider_unreachable` if the server could not answer now.
    func read(_ response: HTTPResponse) throws(ProtocolError) -> ProviderFetch.Result {
        switch response.status {
        case 200: break
        case 408, 425, 429, 500...599:
            throw ProtocolError(.providerUnreachable, "\(url.origin) answered with HTTP \(response.status)")
        default: return none("HTTP \(response.status)")
        }
        guard let document = (try? ProviderJSON.read(response.body))?.object else {
            let type = DisplayText.sanitized(response.mediaType ?? "", limit: 40)
            return none("\(type.isEmpty ? "something" : type) that is no list")
        }
        guard let entries = document["providers"]?.array else { return none("JSON without a list of providers") }
        var result = ProviderFetch.Result()
        for entry in entries.prefix(Self.most) {
            do throws(Refusal) {
                let suggestion = try suggestion(entry)
                if result.providers.contains(where: { $0.account == suggestion.account }) {
                    throw Refusal(message: "“\(suggestion.account)” is there twice")
                }
                result.providers.append(suggestion)
            } catch {
                result.refused.append(error.message)
            }
        }
        if entries.count > Self.most { result.refused.append("\(entries.count - Self.most) more entries") }
        return result
    }

    private func none(_ what: String) -> ProviderFetch.Result {
        ProviderFetch.Result(note: "\(url.origin) publishes no list of providers there: it answered with \(what)")
    }

    private struct Refusal: Error {
        var message: String
    }

    private func suggestion(_ entry: JSONValue) throws(Refusal) -> ProviderFetch.Result.Suggestion {
        guard let entry = entry.object, let name = entry["name"]?.string, AccountName.isValid(name) else {
            throw Refusal(message: "an entry without a name that an account can have")
        }
        guard !entry.contains(where: { !ProviderFetch.settings.contains($0.name) && SecretWords.occur(in: $0.name) })
        else {
            throw Refusal(message: "“\(name)” holds a secret, which no list may have: tell who publishes it")
        }
        var config: JSONObject = [:]
        for member in ProviderFetch.settings {
            if let value = entry[member], !value.isNull { config[member] = value }
        }
        for (member, value) in [
            ("scopes_from", config["scopes_from"]), ("exchange", config["exchange"]?.object?["url"]),
        ] {
            guard let text = value?.string, (try? WebURL(text))?.origin != url.origin else { continue }
            throw Refusal(message: "“\(name)”: \(member) leads to another server than the list is from")
        }
        // The user trusts the named provider: a list must not send its codes and tokens elsewhere.
        guard config["endpoints"] == nil || (config["issuer"] == nil && config["provider"] == nil) else {
            throw Refusal(message: "“\(name)”: endpoints stand beside an issuer or a provider, which names its own")
        }
        let source = ConfigurationSource(file: name, bytes: JSONWriter.bytes(.object(config)))
        do throws(ConfigurationFaults) {
            _ = try AccountConfiguration.read(name: name, source: source, presets: presets) { _ in nil }
        } catch {
            let fault = error.list.first
            let member = fault?.member.map { "\($0) " } ?? ""
            throw Refusal(message: "“\(name)”: " + DisplayText.sanitized(member + (fault?.message ?? "is no account")))
        }
        return .init(account: name, title: entry["title"]?.string.map { DisplayText.sanitized($0) }, config: config)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Systemd
import TokendProtocol

/// The checks of `doctor`: each uses the real thing and leaves nothing behind.
@LoopActor struct Examination {
    let broker: Broker

    func checks(of accounts: [Account]) async -> [Doctor.Check] {
        var checks = configuration() + noted() + [await store()] + loopback() + [proxy()]
        for account in accounts { checks += client(of: account) + (await provider(of: account)) }
        return checks
    }

    private func configuration() -> [Doctor.Check] {
        let faults = broker.configuration.faults
        guard !faults.isEmpty else { return [.init("configuration", .ok, detail: broker.configuration.folder)] }
        return faults.map { .init("configuration", .fail, detail: $0.description, mend: $0.remedy) }
    }

    /// Whether the persistent state can be read and written; reported only if not.
    private func noted() -> [Doctor.Check] {
        guard let fault = broker.ports.state.fault else { return [] }
        return [
            .init(
                "noted state",
                .fail,
                detail: fault.message,
                mend: "ls -ld ~/.local/state/tokend   (it must be yours, and you must be able to write there)"
            )
        ]
    }

    /// A write, a read and a removal under a name that no account can have.
    private func store() async -> Doctor.Check {
        let name = "store of \(broker.store.kind)"
        let probe = StoredItem.probe("doctor probe")
        do throws(StoreError) {
            try await broker.store.write(probe)
            let found = try await broker.store.item(account: probe.account)
            try await broker.store.remove(account: probe.account)
            guard found?.secret == probe.secret else {
                return .init(
                    name,
                    .fail,
                    detail: "what was written was not read back",
                    mend: "systemctl --user restart tokend"
                )
            }
            let program = broker.store.program
            let detail = (program.map { "\($0) " } ?? "") + "writes, reads and removes"
            return .init(name, .ok, detail: detail, program: program)
        } catch {
            let mend = error.code == .locked ? "tokenctl unlock" : mend(of: error)
            return .init(name, .fail, detail: error.message, mend: mend, program: broker.store.program)
        }
    }

    private func mend(of error: StoreError) -> String {
        if error.code == .frozen {
            let isGnome = error.provider == "gnome-keyring-daemon"
            return isGnome
                ? "systemctl --user restart gnome-keyring-daemon" : "pkill -x \(error.provider ?? "gnome-keyring-d")"
        }
        if let file = error.file { return "ls -l \(file)   (it must be yours, and readable)" }
        switch error.provider {
        case nil: return "start gnome-keyring, KeePassXC or KWallet, or set store: \"file\" in config.json5"
        case "gnome-keyring-daemon"?:
            return "seahorse   (“Passwords and Keys”: make a keyring, and make it the default)"
        case "keepassxc"?: return "keepassxc   (open a database, and expose a group to the Secret Service)"
        case let program?: return "kwalletmanager5   (\(program) needs a wallet)"
        }
    }

    private func loopback() -> [Doctor.Check] {
        var checks = [RedirectURI.LoopbackHost.ipv4, .ipv6].map { host -> Doctor.Check in
            let name = "loopback \(host.rawValue)"
            do throws(RedirectFault) {
                let listener = try broker.ports.redirects.open(host, port: nil) { _, _ in 404 }
                listener.close()
                return .init(name, .ok, detail: "the browser can be redirected to tokend")
            } catch {
                return .init(name, .skip, detail: error.message)
            }
        }
        // One family is enough; without both no redirect can arrive.
        if checks.allSatisfy({ $0.result == .skip }) {
            for index in checks.indices {
                checks[index].result = .fail
                checks[index].mend =
                    "systemctl --user cat tokend   (look for RestrictAddressFamilies=, IPAddressDeny= and PrivateNetwork=)"
            }
        }
        return checks
    }

    private func proxy() -> Doctor.Check {
        guard let proxy = broker.configuration.daemon.wire.proxy else {
            return .init("proxy", .ok, detail: "none configured; the service's environment decides")
        }
        let shown = (try? WebURL(proxy))?.origin ?? "as configured"
        return .init("proxy", .ok, detail: DisplayText.sanitized(shown))
    }

    /// Whether the store has what the account's client authenticates with; reported only if something is missing.
    private func client(of account: Account) -> [Doctor.Check] {
        guard let missing = account.client.missing else { return [] }
        let kind = account.configuration?.clientAuthentication == .privateKeyJWT ? " --kind client_key" : ""
        return [
            .init(
                "client of \(account.name)",
                .fail,
                detail: missing.message,
                mend: "tokenctl account secret \(account.name)\(kind)"
            )
        ]
    }

    private func provider(of account: Account) async -> [Doctor.Check] {
        let name = "provider of \(account.name)"
        guard let configuration = account.configuration else {
            return [.init(name, .skip, detail: "its configuration has faults")]
        }
        guard let url = configuration.issuer?.url ?? configuration.endpoints.token else {
            return [.init(name, .skip, detail: "it has no issuer")]
        }
        do throws(TransportError) {
            let probe = HTTPRequest(method: .get, url: url)
            let response = try await broker.ports.transport.send(probe, wire: account.wire)
            return [.init(name, .ok, detail: "\(url.authority) answers")]
                + clock(response, name: "clock against \(url.authority)")
        } catch {
            return [
                .init(
                    name,
                    .fail,
                    detail: error.message,
                    mend: "curl -I \(url)   (does it answer from here? Check the issuer, the network and the proxy)"
                )
            ]
        }
    }

    /// A wrong wall clock makes valid tokens look expired, and expired ones valid.
    private func clock(_ response: HTTPResponse, name: String) -> [Doctor.Check] {
        guard let date = response.serverDate else { return [.init(name, .skip, detail: "it sends no Date")] }
        let offset = broker.ports.clock.now.wall - Int64(date)
        guard abs(offset) > 60 else { return [.init(name, .ok, detail: "\(abs(offset)) s apart")] }
        let direction = offset > 0 ? "ahead" : "behind"
        return [
            .init(
                name,
                .fail,
                detail: "this clock is \(abs(offset)) s \(direction)",
                mend: "set the clock: timedatectl set-ntp true"
            )
        ]
    }
}

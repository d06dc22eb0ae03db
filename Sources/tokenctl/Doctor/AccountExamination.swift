// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TokendProtocol

/// The checks of `doctor` that say why an account gives no token: its state, a token that is asked for, and lines of tools
/// that name an account which is gone.
struct AccountExamination {
    let context: CommandContext

    /// Every account's, or the one's that was named; of that one a token is asked for, too.
    func checks() -> [Doctor.Check] {
        let named = context.invocation.account
        do throws(TokenctlError) {
            let accounts = try StatusSettling(context: context).status().result.accounts
            let states = accounts.map { Self.check($0, at: context.now) }
            guard let named else { return states + staleLines(accounts.map(\.account)) }
            return states + [token(of: named)]
        } catch {
            // The daemon's own checks tell of these.
            guard ![.accountUnknown, .methodNotFound, .configInvalid].contains(error.code) else { return [] }
            return [.init("accounts", .fail, detail: error.message, mend: error.next.first)]
        }
    }

    /// What `status` says of it.
    static func check(_ status: AccountStatus, at now: Int64) -> Doctor.Check {
        let view = AccountView(status)
        let phrase = view.statePhrase(at: now).0
        let detail =
            ([phrase + (status.paused == true ? ", background refreshes are paused" : "")] + view.faults(at: now))
            .joined(separator: "; ")
        let name = "account \(view.account)"
        guard view.isUsable(at: now), status.paused != true else {
            return .init(
                name,
                .fail,
                detail: detail,
                mend: view.next ?? "tokenctl refresh \(ShellWord.quoted(view.account))"
            )
        }
        return .init(name, .ok, detail: detail)
    }

    /// Asks for a token as a program does.
    private func token(of account: String) -> Doctor.Check {
        let name = "token of \(TerminalText.sanitized(account))"
        context.console.spin("Asking for a token of “\(TerminalText.sanitized(account))”…")
        do throws(TokenctlError) {
            var parameters = TokenGet.Parameters()
            parameters.account = account
            let token = try ServedToken(
                context.ask(TokenGet.self, parameters, account: account, showsWait: true).result
            )
            let end = token.expiresAt.map { "; it ends \(TimePhrase.relative($0, to: context.now))" } ?? ""
            return .init(name, .ok, detail: "asked for one and got it" + end)
        } catch {
            return .init(name, .fail, detail: error.message, mend: error.next.first)
        }
    }

    /// The lines that `setup` wrote for an account that is not there any more.
    private func staleLines(_ accounts: [String]) -> [Doctor.Check] {
        SetupTools.all.compactMap { $0 as? BlockTool }.flatMap { tool -> [Doctor.Check] in
            guard let file = try? SetupFile(tool.file, context), let text = file.text else { return [] }
            return MarkedBlock.accounts(in: text).filter { !accounts.contains($0) }.map { account in
                let command = "tokenctl setup \(tool.name) \(ShellWord.quoted(TerminalText.sanitized(account))) --undo"
                let detail = "\(file.path) has lines for “\(account)”, and there is no such account"
                return .init("lines of \(tool.name)", .fail, detail: detail, mend: command)
            }
        }
    }
}

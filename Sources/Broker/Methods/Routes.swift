// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TokendProtocol

extension Route {
    /// Every method that this daemon serves.
    package static let all: [Route] = tokens + logins + accounts + daemon

    private typealias Router = RequestRouter

    private static let tokens = [
        Route(
            TokenGet.self,
            for: .clients(held: { $0.hold(to: $1) }, application: \.application),
            of: .account(\.account, issuer: \.issuer),
            narrow: true,
            .either(Router.getToken)
        )
    ]

    private static let logins = [
        Route(LoginStart.self, for: .administrators, of: .account(\.account), narrow: true, .either(Router.startLogin)),
        Route(LoginWait.self, for: .administrators, of: .login(\.loginID), narrow: true, .either(Router.waitForLogin)),
        Route(LoginCheck.self, for: .administrators, of: .login(\.loginID), narrow: true, .now(Router.checkLogin)),
        Route(
            LoginComplete.self,
            for: .administrators,
            of: .login(answeredBy: \.url, id: \.loginID),
            narrow: true,
            .either(Router.completeLogin)
        ),
        Route(LoginCancel.self, for: .administrators, of: .login(\.loginID), narrow: true, .now(Router.cancelLogin)),
        Route(
            Logout.self,
            for: .administrators,
            of: .account(\.account),
            narrow: true,
            .later(within: \.timeout, Router.logout)
        ),
    ]

    private static let accounts = [
        Route(AccountList.self, for: .administrators, of: .daemon, narrow: true, .now(Router.listAccounts)),
        Route(AccountShow.self, for: .administrators, of: .account(\.account), .now(Router.showAccount)),
        Route(
            AccountAdd.self,
            for: .administrators,
            of: .newAccount(\.account),
            asking: Router.questionBefore,
            .either(Router.addAccount)
        ),
        Route(AccountSecret.self, for: .administrators, of: .account(\.account), .either(Router.giveSecret)),
        Route(
            AccountImport.self,
            for: .administrators,
            of: .account(\.account),
            .later(within: \.timeout, Router.importGrant)
        ),
        Route(
            AccountRefresh.self,
            for: .administrators,
            of: .account(\.account),
            narrow: true,
            .either(Router.refreshAccount)
        ),
        Route(AccountPause.self, for: .administrators, of: .accounts(\.account), .now(Router.pauseAccounts)),
        Route(AccountResume.self, for: .administrators, of: .accounts(\.account), .now(Router.resumeAccounts)),
        Route(
            AccountRemove.self,
            for: .administrators,
            of: .account(\.account),
            .later(within: \.timeout, Router.removeAccount)
        ),
    ]

    private static let daemon = [
        Route(Hello.self, for: .everybody, of: .daemon, narrow: true, whileBroken: true, .now(Router.hello)),
        Route(
            Status.self,
            for: .everybody,
            of: .accounts(\.account),
            narrow: true,
            whileBroken: true,
            .now(Router.status)
        ),
        Route(EventsSubscribe.self, for: .everybody, of: .daemon, narrow: true, .now(Router.subscribe)),
        Route(StoreUnlock.self, for: .administrators, of: .daemon, .later(Router.unlockStore)),
        Route(ConfigReload.self, for: .administrators, of: .daemon, whileBroken: true, .now(Router.reload)),
        Route(Doctor.self, for: .administrators, of: .daemon, .later(within: \.timeout, Router.doctor)),
        Route(ProviderList.self, for: .administrators, of: .daemon, .now(Router.listProviders)),
        Route(
            ProviderFetch.self,
            for: .administrators,
            of: .daemon,
            .later(within: { $0.timeout ?? 60 }, Router.fetchProviders)
        ),
        Route(PolicyList.self, for: .administrators, of: .daemon, .now(Router.listPolicy)),
        Route(PolicyRevoke.self, for: .administrators, of: .daemon, .now(Router.revokePolicy)),
        Route(ConfirmAnswer.self, for: .administrators, of: .daemon, .now(Router.answerQuestion)),
    ]
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// The user is told that a sign-in is needed: once, with a way to it, until it is done.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct LoginReminderTests {
    @Test @LoopActor func `a grant's end is told once, and taken away when it is mended (E11, 6)`() async throws {
        let world = await World.signedIn(try .plain(), age: 60)
        let reminders = LoginReminders(broker: world.broker)
        let ended = BrokerEvent.grantEnded(account: "work", reason: .ended, oauthError: "invalid_grant")
        reminders.note(ended)
        reminders.note(ended)
        #expect(world.notifier.reminders.map(\.account) == ["work"])
        #expect(world.notifier.withdrawn.isEmpty)
        reminders.note(.loginFinished(account: "work", loginID: "x", error: nil))
        #expect(world.notifier.withdrawn.count == 1)
        #expect(world.notifier.replacements.map(\.message) == ["“work” is signed in again."])
        reminders.note(ended)
        #expect(world.notifier.reminders.count == 2)
        // A failure that passed, or was given up, needs no reminder.
        reminders.note(.tokenRefreshed(account: "work", expiresAt: nil))
        reminders.note(ended)
        reminders.note(.loggedOut(account: "work", revocationFault: nil))
        #expect(world.notifier.withdrawn.count == 3 && world.notifier.replacements.count == 1)
    }

    @Test @LoopActor func `an end that comes near is told anew at each mark, whatever is renewed (engine rule 18)`()
        async throws
    {
        let world = await World.signedIn(try .plain(), age: 60)
        let reminders = LoginReminders(broker: world.broker)
        let end = world.clock.now.wall + 3 * 86_400
        reminders.note(.grantEnding(account: "work", at: end))
        reminders.note(.tokenRefreshed(account: "work", expiresAt: nil))
        #expect(world.notifier.reminders.count == 1 && world.notifier.withdrawn.isEmpty)
        #expect(world.notifier.reminders.last?.message.contains("ends in 3 days") == true)
        await world.clock.suspend(for: .seconds(2 * 86_400))
        reminders.note(.grantEnding(account: "work", at: end))
        #expect(world.notifier.reminders.count == 2 && world.notifier.withdrawn.count == 1)
        #expect(world.notifier.reminders.last?.message.contains("ends in 24 hours") == true)
        reminders.note(.loginFinished(account: "work", loginID: "x", error: nil))
        #expect(world.notifier.withdrawn.count == 2)
        reminders.note(.grantEnding(account: "work", at: end))
        reminders.note(.grantEnded(account: "work", reason: .ended, oauthError: nil))
        #expect(world.notifier.reminders.count == 4 && world.notifier.withdrawn.count == 3)
        reminders.note(.tokenRefreshed(account: "work", expiresAt: nil))
        #expect(world.notifier.withdrawn.count == 4)
    }

    @Test @LoopActor func `what nobody can mend by signing in is not told (C2)`() async throws {
        let world = await World.signedIn(try .plain(), age: 60)
        let reminders = LoginReminders(broker: world.broker)
        reminders.note(.grantEnded(account: "work", reason: .signedOut, oauthError: nil))
        reminders.note(.refreshFailed(account: "work", ProtocolError(.providerUnreachable, "away")))
        reminders.note(.storeFault(account: "work", StoreError(code: .locked, message: "locked")))
        #expect(world.notifier.reminders.isEmpty)
    }

    @Test @LoopActor func `its button begins the sign-in in the browser`() async throws {
        let world = await World.signedIn(try .plain(), age: 60)
        let reminders = LoginReminders(broker: world.broker)
        reminders.note(.grantEnded(account: "work", reason: .ended, oauthError: nil))
        world.notifier.choose()
        await settle()
        await world.browser.opening(1)
        // The short page: the long URL with the state would stand in the list of processes.
        #expect(world.browser.opened.first?.isLoopback == true)
        #expect(world.browser.opened.first?.path.hasPrefix("/s/") == true)
        #expect(world.notifier.reminders.map(\.hasButton) == [true])
    }

    @Test @LoopActor func `a device's sign-in has no button, as nobody would see its code`() async throws {
        var account = try AccountConfiguration.plain()
        account.flow = .device
        let world = await World.signedIn(account, age: 60)
        let reminders = LoginReminders(broker: world.broker)
        reminders.note(.grantEnded(account: "work", reason: .ended, oauthError: nil))
        #expect(world.notifier.reminders.map(\.hasButton) == [false])
        #expect(world.notifier.reminders.first?.message.hasSuffix("tokenctl login work") == true)
    }

    @Test @LoopActor func `a sign-in that its button could not begin is told with the reason, and another button`()
        async throws
    {
        let world = await World.signedIn(try .plain(), age: 60)
        world.browser.fault = BrowserError(message: "no browser here")
        let reminders = LoginReminders(broker: world.broker)
        reminders.note(.grantEnded(account: "work", reason: .ended, oauthError: nil))
        world.notifier.choose()
        await settle()
        #expect(
            world.notifier.reminders.dropFirst().map(\.message)
                == ["the sign-in of “work” did not begin: no browser here"]
        )
        world.browser.fault = nil
        world.notifier.choose()
        await world.browser.opening(1)
        // Not of what was settled otherwise meanwhile.
        reminders.note(.loggedOut(account: "work", revocationFault: nil))
        #expect(world.notifier.reminders.count == 2)
    }

    @Test @LoopActor func `a person who wants no notifications gets none`() async throws {
        let world = await World.signedIn(try .plain(), age: 60)
        world.files.configuration.daemon.notifies = false
        world.broker.reload()
        let reminders = LoginReminders(broker: world.broker)
        reminders.note(.grantEnded(account: "work", reason: .ended, oauthError: nil))
        #expect(world.notifier.reminders.isEmpty)
    }
}

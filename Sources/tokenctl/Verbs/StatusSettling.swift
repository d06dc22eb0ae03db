// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokenClient
import TokendProtocol

/// `status` of a daemon that has just started: until its secret store has answered, the accounts are `unknown`, and
/// telling so helps nobody. They are waited for, 2 s at most.
struct StatusSettling {
    let context: CommandContext

    /// The result of `status`, with every account's state where the store answers in time.
    func status() throws(TokenctlError) -> Answer<Status.Result> {
        let deadline = Deadline(in: .seconds(2))
        var result = try ask()
        guard Self.isUnsettled(result.result), subscribe() else { return result }
        // What happened between the two requests makes no event.
        result = try ask()
        while Self.isUnsettled(result.result), !deadline.isOver {
            try awaitEvent(until: deadline)
            result = try ask()
        }
        return result
    }

    /// Whether the store has not answered yet; one that cannot be reached is a fault beside the state.
    private static func isUnsettled(_ status: Status.Result) -> Bool {
        status.accounts.contains { $0.state == .unknown && $0.fault == nil }
    }

    private func ask() throws(TokenctlError) -> Answer<Status.Result> {
        try context.ask(Status.self, context.statusParameters)
    }

    /// False where the daemon has no events: then its first answer must do.
    private func subscribe() -> Bool {
        (try? context.ask(EventsSubscribe.self, EventsSubscribe.Parameters())) != nil
    }

    /// Not every answer of the store is an event: after 100 ms without one it is looked anyway.
    private func awaitEvent(until deadline: Deadline) throws(TokenctlError) {
        let client = try context.client()
        do throws(TokenClientError) {
            _ = try client.nextEvent(until: deadline.capped(in: .milliseconds(100)))
        } catch {
            throw context.translated(error, account: nil)
        }
    }
}

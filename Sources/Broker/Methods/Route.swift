// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Members
import Systemd
package import TokendProtocol

/// A method as this daemon serves it: its parameters, who may call it, on which sockets, and its handler.
///
/// `Route.all` has a line for each method. `hello`'s list, the methods of restricted sockets and the policy come from
/// there.
package struct Route: Sendable {
    /// The method, its parameters and its result.
    package let call: any (MethodCall & SendableMetatype).Type
    /// Who may call it.
    package let access: Access
    /// Whether a restricted socket may have it: such a method changes no settings, and is not about the daemon as a
    /// whole.
    package let isNarrow: Bool
    /// Whether a daemon with a broken `config.json5` serves it: such a method helps to fix the file.
    package let isServedWhileBroken: Bool
    /// The names of its parameters.
    package let names: [String]
    /// Serves one request.
    let respond: @LoopActor @Sendable (RequestRouter, RequestMessage, ClientSession) throws(ProtocolError) -> Handling

    /// Its name.
    package var method: Method { call.method }

    /// - Parameters:
    ///   - asking: the question for the user before the request; nil: only as the account's policy requires.
    init<M: MethodCall & SendableMetatype, Subject>(
        _ call: M.Type,
        for privilege: Privilege<M.Parameters>,
        of subject: RequestSubject<M.Parameters, Subject>,
        narrow isNarrow: Bool = false,
        whileBroken isServedWhileBroken: Bool = false,
        asking question: @escaping Service<M, Subject>.Question = { _ in { _ in nil } },
        _ handler: MethodHandler<M, Subject>
    ) {
        self.call = call
        access = privilege.access
        self.isNarrow = isNarrow
        self.isServedWhileBroken = isServedWhileBroken
        names = M.Parameters.names
        let service = Service(privilege: privilege, subject: subject, question: question, handler: handler)
        respond = { router, message, session throws(ProtocolError) in
            try router.respond(to: message, from: session, by: service)
        }
    }

    /// Each method of `Route.all` by its name.
    static let byMethod: [Method: Route] = Dictionary(uniqueKeysWithValues: all.map { ($0.method, $0) })
}

/// Who may call a method.
package enum Access: Sendable {
    /// Every client; the answer depends on the client.
    case everybody
    /// Programs that the account's `allow` names.
    case clients
    /// Programs that the account's `administration` names; for requests about no account, programs outside sandboxes.
    case administrators
}

/// Who may call a method, with the parameters that the policy needs.
enum Privilege<Parameters: Sendable>: Sendable {
    case everybody
    /// `held` changes the parameters so that they stay within the limits; false if that is impossible. `application` is
    /// the application's name according to the client.
    case clients(
        held: @Sendable (inout Parameters, TokenLimits) -> Bool,
        application: @Sendable (Parameters) -> String?
    )
    case administrators

    var access: Access {
        switch self {
        case .everybody: .everybody
        case .clients: .clients
        case .administrators: .administrators
        }
    }

    func application(of parameters: Parameters) -> String? {
        guard case .clients(_, let application) = self else { return nil }
        return application(parameters)
    }
}

/// A request after reading: its parameters, its subject, and its client.
@LoopActor struct MethodRequest<M: MethodCall, Subject> {
    var parameters: M.Parameters
    /// Its subject, found by its parameters.
    let subject: Subject
    /// The client's session.
    let session: ClientSession
}

/// The answer of a method.
enum MethodAnswer<Value: MethodResult> {
    case now(Value)
    /// An answer that comes later: called with the reply to fill.
    case later(@LoopActor (PendingReply) -> Void)
}

/// A route's parts, with their types.
struct Service<M: MethodCall & SendableMetatype, Subject>: Sendable {
    typealias Question =
        @LoopActor @Sendable (RequestRouter) ->
        @LoopActor (MethodRequest<M, Subject>) ->
        ConfirmQuestion.Matter?

    let privilege: Privilege<M.Parameters>
    let subject: RequestSubject<M.Parameters, Subject>
    let question: Question
    let handler: MethodHandler<M, Subject>
}

/// A method's handler: a method of the router.
struct MethodHandler<M: MethodCall & SendableMetatype, Subject>: Sendable {
    typealias Request = MethodRequest<M, Subject>

    let answer: @LoopActor @Sendable (RequestRouter, Request) throws(ProtocolError) -> MethodAnswer<M.Result>

    /// Answers within the call.
    static func now(
        _ body:
            @escaping @LoopActor @Sendable (RequestRouter) ->
            @LoopActor (Request) throws(ProtocolError) -> M.Result
    ) -> Self {
        Self { router, request throws(ProtocolError) in .now(try body(router)(request)) }
    }

    /// Answers within the call, or later by its own rules.
    static func either(
        _ body:
            @escaping @LoopActor @Sendable (RequestRouter) ->
            @LoopActor (Request) throws(ProtocolError) -> MethodAnswer<M.Result>
    ) -> Self {
        Self { router, request throws(ProtocolError) in try body(router)(request) }
    }

    /// Answers when a linear flow ends.
    ///
    /// - Parameter timeout: for how many seconds the client waits; the work continues after that.
    static func later(
        within timeout: @escaping @Sendable (M.Parameters) -> Int64? = { _ in nil },
        _ body:
            @escaping @LoopActor @Sendable (RequestRouter) ->
            @LoopActor (Request) async throws(ProtocolError) -> M.Result
    ) -> Self {
        Self { router, request in
            .later { reply in
                router.expire(reply, timeout(request.parameters))
                reply.answer { () async throws(ProtocolError) in try await body(router)(request) }
            }
        }
    }
}

extension PendingReply {
    /// Answers when a linear flow ends.
    func answer<Value: MethodResult>(by body: @escaping @LoopActor () async throws(ProtocolError) -> Value) {
        Task.onLoop {
            do throws(ProtocolError) { self.succeed(try await body()) } catch { self.fail(error) }
        }
    }
}

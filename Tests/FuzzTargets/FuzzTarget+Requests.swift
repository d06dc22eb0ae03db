// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

extension FuzzTarget {
    static func readRequest(_ bytes: [UInt8]) throws(BrokenRule) {
        let line = bytes.filter { $0 != UInt8(ascii: "\n") }
        let request: RequestMessage
        do throws(RequestError) {
            request = try RequestMessage(line: line)
        } catch {
            try checkReply(error.reply())
            try BrokenRule.unless(!isPlain(line), "a plain request is a request: \(error.error.message)")
            return
        }
        try comparePlain(line, request)
        let again = try BrokenRule.value("a request that is written can be read") {
            try RequestMessage(line: Array(request.line().dropLast()))
        }
        try BrokenRule.unless(
            again.method == request.method && again.params == request.params && again.id == request.id,
            "a request that is written is read as the same"
        )
        try checkParameters(request)
    }

    private static func isPlain(_ line: [UInt8]) -> Bool {
        line.withUnsafeBytes { TokenGet.PlainRequest(line: $0) != nil }
    }

    /// The quick reader and the full one say the same of what the quick one takes.
    private static func comparePlain(_ line: [UInt8], _ request: RequestMessage) throws(BrokenRule) {
        let plain = line.withUnsafeBytes { bytes in
            TokenGet.PlainRequest(line: bytes).map { ($0.form, Array($0.id), $0.account, $0.minValid, $0.application) }
        }
        guard let plain else { return }
        let parameters = try BrokenRule.value("a plain request is a token.get") {
            try TokenGet.Parameters(params: request.params)
        }
        var wanted = TokenGet.Parameters(account: plain.2)
        wanted.minValid = plain.3
        wanted.application = plain.4
        try BrokenRule.unless(
            request.method == Method.tokenGet.rawValue && request.form == plain.0
                && request.id.map { Array($0.text.utf8) } == plain.1 && parameters == wanted,
            "a plain request says the same to both readers"
        )
    }

    private static func checkReply(_ reply: [UInt8]?) throws(BrokenRule) {
        guard let reply else { return }
        try BrokenRule.unless(reply.last == UInt8(ascii: "\n"), "a reply ends its line")
        try BrokenRule.unless(!reply.dropLast().contains(UInt8(ascii: "\n")), "a reply is one line")
        _ = try BrokenRule.value("a reply can be read") { try ServerMessage(line: Array(reply.dropLast())) }
    }

    /// Whatever the method that was named, each method's parameters are read.
    private static func checkParameters(_ request: RequestMessage) throws(BrokenRule) {
        try check(Hello.self, request)
        try check(Status.self, request)
        try check(TokenGet.self, request)
        try check(LoginStart.self, request)
        try check(LoginWait.self, request)
        try check(LoginCheck.self, request)
        try check(LoginComplete.self, request)
        try check(LoginCancel.self, request)
        try check(Logout.self, request)
        try check(StoreUnlock.self, request)
        try check(AccountList.self, request)
        try check(AccountShow.self, request)
        try check(AccountAdd.self, request)
        try check(AccountSecret.self, request)
        try check(AccountImport.self, request)
        try check(AccountRefresh.self, request)
        try check(AccountPause.self, request)
        try check(AccountResume.self, request)
        try check(AccountRemove.self, request)
        try check(ProviderList.self, request)
        try check(ProviderFetch.self, request)
        try check(ConfigReload.self, request)
        try check(Doctor.self, request)
        try check(EventsSubscribe.self, request)
        try check(PolicyList.self, request)
        try check(PolicyRevoke.self, request)
        try check(ConfirmAnswer.self, request)
    }

    private static func check<Call: MethodCall>(_ call: Call.Type, _ request: RequestMessage) throws(BrokenRule) {
        let read = Result { () throws(ProtocolError) in try Call.Parameters(params: request.params) }
        switch read {
        case .success(let parameters):
            let name = Call.method.rawValue
            let again = try BrokenRule.value("the parameters of \(name) that are written can be read") {
                try Call.Parameters(params: parameters.encoded())
            }
            try BrokenRule.unless(again == parameters, "the parameters of \(name) are read as they were written")
        case .failure(let error):
            try checkReply(ReplyMessage.error(error, to: request))
        }
    }
}

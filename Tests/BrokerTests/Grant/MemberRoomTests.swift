// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// What of other people's objects is kept, however much there is of them.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct MemberRoomTests {
    /// So many that a look at each for each would take minutes.
    private static let pairs = (0..<40_000).map { ("member-\($0)", JSONValue.integer(Int64($0))) }

    @Test func `what comes first is kept, up to the number and the size, and what is too large is passed over`() {
        var room = MemberRoom(members: 3, bytes: 30)
        room.add("a", 1)
        room.add("b", .string(String(repeating: "x", count: 30)))
        room.add("a", 2)
        room.add("c", "yz")
        #expect(room.kept == ["a": 1, "c": "yz"] && !room.isFull)
        room.add("d", 1)
        room.add("e", 1)
        #expect(room.kept.names == ["a", "c", "d"] && room.isFull)
    }

    @Test(arguments: [1, 2, 10])
    func `the size is that of the JSON`(count: Int) {
        var room = MemberRoom(members: 100, bytes: 1000)
        for number in 0..<count { room.add("m\(number)", ["\"", .integer(Int64(number))]) }
        let size = JSONWriter.bytes(.object(room.kept)).count
        var exact = MemberRoom(members: 100, bytes: size)
        for member in room.kept { exact.add(member.name, member.value) }
        #expect(exact.kept == room.kept)
        var less = MemberRoom(members: 100, bytes: size - 1)
        for member in room.kept { less.add(member.name, member.value) }
        #expect(less.kept.count == count - 1)
    }

    @Test @LoopActor func `an answer with tens of thousands of members is served at once, with those that fit`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        let stand = try MethodStand(world)
        defer { stand.end() }
        let client = try stand.client()
        let waiting = client.send(.tokenGet)
        let exchange = await world.transport.next()
        let start = ContinuousClock.now
        let token: [(String, JSONValue)] = [
            ("access_token", "A2"), ("token_type", "Bearer"), ("expires_in", 3600), ("refresh_token", "R2"),
        ]
        exchange.answer(HTTPResponse.json(JSONObject(token + Self.pairs)))
        let first = try await client.reply(to: waiting).get()
        #expect(first["extra"]?.object?.count == JSONObject.extraMembers)
        for _ in 0..<10 { _ = try await client.call(.tokenGet).get() }
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(try world.account().readyToken != nil)
    }

    @Test func `a redirect with thousands of parameters is read in a moment`() throws {
        var returned = FormParameters()
        for number in 0..<8 { returned.append("long\(number)", String(repeating: "x", count: 2000)) }
        for number in 0..<20_000 { returned.append("p\(number)", String(repeating: "y", count: 200)) }
        let start = ContinuousClock.now
        let metadata = try #require(LoginMetadata(returned: returned))
        #expect(metadata.members.names.first == "long0" && metadata.members.count <= LoginMetadata.memberLimit)
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(throws: ProtocolError.self) { try LoginMetadata.joined(nil, JSONObject(Self.pairs)) }
    }
}

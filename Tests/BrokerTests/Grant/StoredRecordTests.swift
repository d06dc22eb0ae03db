// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import HTTPTypes
import Members
import OAuth
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

/// A stored record with a value in each member that it can have.
struct StoredCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let members: [MemberOutline]
    /// What is written of it.
    let written: JSONObject
    /// Whether what is written is read as the same record.
    let comesBack: Bool
    /// Reads members, and gives back what is written of them; nil where they are no record.
    let again: @Sendable (JSONObject) -> JSONObject?

    init<Record: StoredRecord & Equatable>(_ record: Record) {
        testDescription = "\(Record.self)"
        members = Record.members.map(\.outline)
        written = record.declaredMembers
        comesBack = Record(stored: written) == record
        again = { Record(stored: $0)?.declaredMembers }
    }

    static let all: [StoredCase] = [
        StoredCase(grant), StoredCase(pending), StoredCase(ended), StoredCase(token(.seconds(3600))),
        StoredCase(token(.unlimited)), StoredCase(token(.elapsed)), StoredCase(token(.unknown)),
        StoredCase(destination), StoredCase(client), StoredCase(given), StoredCase(registration),
        StoredCase(clientDestination),
    ]

    private static var grant: GrantRecord {
        var grant = GrantRecord(scope: ["openid", "mail"], destination: destination, signedInAt: 5)
        grant.refreshToken = Secret("R")
        grant.generation = 7
        grant.pending = pending
        grant.rotates = false
        grant.addedScope = ["calendar"]
        grant.narrowedTo = ["mail"]
        grant.narrowingSticks = true
        grant.subject = "alice"
        grant.identity = "alice@example.org"
        grant.metadata = LoginMetadata(["tenant": "t"])
        grant.redirectURI = "http://127.0.0.1/"
        grant.flow = .device
        grant.refreshedAt = 6
        grant.grantExpiresAt = 9
        grant.isEndFixed = true
        grant.grantLife = 3
        grant.token = token(.seconds(60))
        grant.untraded = token(.unknown)
        grant.ended = ended
        grant.source = .clientCredentials(["own"])
        return grant
    }

    private static let pending = GrantRecord.Pending(generation: 3, sentAt: 4)

    private static let ended = GrantRecord.Ended(reason: .refused, oauthError: "invalid_grant", message: "no", at: 8)

    private static func token(_ lifetime: Lifetime) -> HeldToken {
        HeldToken(
            accessToken: Secret("A"),
            tokenType: "Bearer",
            scope: ["mail"],
            issuedAt: 2,
            lifetime: lifetime,
            obtainedAtBoot: BootInstant(microseconds: 0),
            idToken: Secret("I"),
            idTokenExpiresAt: 10,
            extra: ["realm": ["r"]]
        )
    }

    private static var destination: GrantDestination {
        var destination = GrantDestination()
        destination.issuer = "https://i.example"
        destination.namesIssuer = true
        destination.clientID = "c"
        destination.isRegistered = true
        destination.endpoints = [.token: "https://i.example/token", .endSession: "https://i.example/end"]
        destination.configured = [.token, .exchange]
        destination.clientAuthentication = "none"
        destination.caDigests = ["d1", "d2"]
        destination.proxy = "http://p.example:3128"
        return destination
    }

    private static var client: ClientRecord {
        var client = ClientRecord()
        for kind in ClientSecretKind.allCases { client[kind] = given }
        client.registrations = [registration]
        return client
    }

    private static let given = ClientRecord.Given(value: Secret("S"), destination: clientDestination)

    private static var registration: ClientRegistration {
        var registration = ClientRegistration(
            destination: clientDestination,
            clientID: "c",
            authentication: "client_secret_basic",
            redirectURIs: ["http://127.0.0.1/"],
            registeredAt: 1
        )
        registration.clientSecret = Secret("S")
        registration.secretExpiresAt = 2
        registration.takesDeviceCodes = true
        registration.registrationAccessToken = Secret("T")
        registration.registrationClientURI = "https://i.example/client"
        registration.isRefused = true
        return registration
    }

    private static var clientDestination: ClientDestination {
        var destination = ClientDestination()
        destination.issuer = "https://i.example"
        destination.namesIssuer = true
        destination.clientID = "c"
        destination.endpoints = ["token": "https://i.example/token"]
        destination.caDigests = ["d"]
        return destination
    }
}

/// All declarations of what is stored for grants and clients.
@Suite struct StoredRecordTests {
    @Test(arguments: StoredCase.all) func `each record reads what it writes`(_ record: StoredCase) {
        #expect(record.comesBack)
        #expect(record.again(record.written) == record.written)
    }

    @Test func `every member that is declared is written`() {
        for (name, records) in Dictionary(grouping: StoredCase.all, by: \.testDescription) {
            let written = Set(records.flatMap(\.written.names))
            #expect(written == Set(records.flatMap { $0.members.map(\.name) }), "\(name)")
        }
    }

    @Test(arguments: StoredCase.all)
    func `a member of another type counts as absent, and no record lacks one that is required`(_ record: StoredCase) {
        for member in record.members where record.written[member.name] != nil {
            var (absent, broken) = (record.written, record.written)
            absent[member.name] = nil
            broken[member.name] = .null
            #expect(record.again(broken) == record.again(absent), "\(member.name)")
            #expect((record.again(absent) == nil) == member.isRequired, "\(member.name)")
        }
    }

    @Test(arguments: StoredCase.all) func `a member of a later version is ignored`(_ record: StoredCase) {
        var later = record.written
        later["later"] = ["x"]
        #expect(record.again(later) == record.written)
    }

    @Test func `what is unusable inside is left out`() {
        let (token, destination): (JSONObject, JSONObject) = (["access_token": "A"], ["issuer": "i"])
        var grant = StoredCase.all[0].written
        grant["token"] = .object(token)
        #expect(StoredCase.all[0].again(grant)?["token"] == nil)
        grant["destination"] = .object(destination)
        #expect(StoredCase.all[0].again(grant) == nil)
        let registration: JSONObject = ["registrations": [["client_id": "c"], 3]]
        #expect(ClientRecord(stored: registration) == ClientRecord())
    }

    @Test func `a list and an object lose their strange elements alone`() throws {
        var written = GrantDestination().declaredMembers
        written["ca_digests"] = ["d", 3]
        written["endpoints"] = ["token": "t", "revocation": 3, "later": "l"]
        written["configured"] = ["token", "later", 3]
        let destination = try #require(GrantDestination(stored: written))
        #expect(destination.caDigests == ["d"] && destination.endpoints == [.token: "t"])
        #expect(destination.configured == [.token])
    }
}

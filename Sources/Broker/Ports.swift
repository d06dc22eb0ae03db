// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import OAuth
package import Secrets
package import Systemd

/// The broker's ports to the machine. `tokend` implements them with curl, libsecret and others; tests implement them in
/// memory, so that whole flows run with a clock that is moved by hand.
///
/// All of them are used on the loop alone.

/// The current time on both clocks.
package struct Moment: Sendable, Equatable {
    /// Unix seconds; may step.
    package var wall: Int64
    /// Runs during suspend and never steps.
    package var boot: BootInstant

    package init(wall: Int64, boot: BootInstant) {
        self.wall = wall
        self.boot = boot
    }
}

/// A scheduled timer; cancelling it twice is harmless.
@LoopActor package protocol ScheduledTimer: AnyObject, Sendable {
    func cancel()
}

@LoopActor package protocol Clock: AnyObject, Sendable {
    var now: Moment { get }

    /// Calls `action` on the loop after `instant`, at most `accuracy` later.
    func schedule(
        at instant: BootInstant,
        accuracy: Duration,
        _ action: @escaping @LoopActor () -> Void
    ) -> any ScheduledTimer
}

@LoopActor package protocol Entropy: AnyObject, Sendable {
    /// Bytes of the system's random generator.
    func bytes(_ count: Int) -> [UInt8]
}

@LoopActor package protocol HTTPTransport: AnyObject, Sendable {
    /// Sends one request to a provider, with the trust and the proxy that `wire` names.
    func send(_ request: HTTPRequest, wire: WireSettings) async throws(TransportError) -> HTTPResponse
}

/// How requests reach one account's provider.
package struct WireSettings: Sendable, Hashable {
    /// A file of additional CAs, as it was when the configuration was read.
    package struct AuthorityFile: Sendable, Hashable {
        /// A PEM file's path.
        package var path: String
        /// The SHA-256 of its content, in hexadecimal: a file that has changed since is not trusted.
        package var digest: String

        package init(path: String, digest: String) {
            self.path = path
            self.digest = digest
        }
    }

    package var authorities: [AuthorityFile]
    package var proxy: String?
    /// For one whole request.
    package var timeout: Duration

    package init(authorities: [AuthorityFile] = [], proxy: String? = nil, timeout: Duration = .seconds(30)) {
        self.authorities = authorities
        self.proxy = proxy
        self.timeout = timeout
    }
}

/// Why the secret store did not answer; none of these says anything about a grant.
package struct StoreError: Error, Sendable, Equatable {
    package enum Code: Sendable, Equatable {
        case locked
        case unavailable
        /// The program that keeps it runs, and does not answer.
        case frozen
        /// The item exists but cannot be read.
        case unreadable
        /// The item has a format that only a newer tokend knows: it is left untouched.
        case newer
        /// The user closed the store's prompt.
        case dismissed
        /// This store takes no passphrase: it prompts the user itself, or needs none.
        case passphraseUnwanted
    }

    /// What a `locked` store asks its client for.
    package enum Passphrase: String, Sendable, Equatable {
        /// The store's existing passphrase.
        case needed
        /// A new passphrase that the user chooses; the store is created with it.
        case new
    }

    package var code: Code
    /// One sentence for a user.
    package var message: String
    /// nil if the store prompts the user itself.
    package var passphrase: Passphrase?
    /// The file that the error is about, if there is one.
    package var file: String?
    /// The program that the user must attend to, if any.
    package var provider: String?

    package init(
        code: Code,
        message: String,
        passphrase: Passphrase? = nil,
        file: String? = nil,
        provider: String? = nil
    ) {
        self.code = code
        self.message = message
        self.passphrase = passphrase
        self.file = file
        self.provider = provider
    }
}

/// The secret store. No call but `unlock` ever raises a prompt.
@LoopActor package protocol CredentialStore: AnyObject, Sendable {
    /// `secret-service`, `file` or `memory`.
    var kind: String { get }

    /// The program that keeps the items, by its usual name; nil for a store of the daemon's own, or before it is known.
    var program: String? { get }

    /// Every item of this user, of either kind.
    func items() async throws(StoreError) -> [StoredItem]

    /// One account's item of that kind; nil only if the store is open and has none.
    func item(_ kind: StoredItem.Kind, account: String) async throws(StoreError) -> StoredItem?

    /// Durable on return. Replaces the account's item of that kind, whatever its attributes were.
    func write(_ item: StoredItem) async throws(StoreError)

    /// Removes the account's item of that kind; a missing one is no error.
    func remove(_ kind: StoredItem.Kind, account: String) async throws(StoreError)

    /// Opens the store: with the given passphrase, or by prompting the user.
    ///
    /// - Throws: `passphraseUnwanted` if one is given and the store takes none; `locked` if none or a wrong one is
    ///   given and the store needs one.
    func unlock(passphrase: Secret?, timeout: Duration) async throws(StoreError)
}

extension CredentialStore {
    package var program: String? { nil }
}

/// A request to a loopback listener.
package struct RedirectRequest: Sendable {
    package var method: HTTPMethod?
    package var path: String
    /// Without the question mark; nil if there was none.
    package var query: String?
    package var headers: HTTPHeaders
    /// The posted body.
    package var body: [UInt8]

    package init(method: HTTPMethod?, path: String, query: String?, headers: HTTPHeaders, body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }
}

/// The answer to the user's browser.
package enum RedirectAnswer: Sendable, Equatable {
    /// 303 to a path of this login without a query, so that the code leaves the address bar.
    case seeOther(path: String)
    /// The last page: the grant is stored.
    case signedIn(account: String, identity: String?, provider: String)
    /// The last page: the user or the provider refused.
    case denied(account: String, provider: String)
    /// The provider has ended its session: the last page of a logout there.
    case signedOut(account: String, provider: String)
    /// The last page: the sign-in failed.
    case failed(account: String, reason: String, next: String, command: String?)
    /// 303 to the provider's page: the login's beginning.
    case leadOn(WebURL)
    /// 4xx; not part of this login, which continues.
    case refused(status: Int)
}

/// Called on the loop for each request. It takes the request, and calls its second parameter with the answer, now or
/// later, exactly once; or it returns the 4xx status for a request that is not its own.
package typealias RedirectHandler =
    @LoopActor (RedirectRequest, @escaping @LoopActor (RedirectAnswer) -> Void) -> Int?

/// A listener on a loopback address, open from its creation until `close()`.
@LoopActor package protocol RedirectListener: AnyObject, Sendable {
    var port: Int { get }
    /// The literal addresses that it listens on; for `localhost`, both, or the one that this machine has.
    var addresses: Set<RedirectURI.LoopbackHost> { get }

    /// Stops listening at once; answers in progress are still delivered.
    func close()
}

@LoopActor package protocol RedirectListening: AnyObject, Sendable {
    /// Opens a listener on a loopback address; `localhost` means both families at one port.
    ///
    /// - Parameters:
    ///   - port: nil: the system picks one.
    /// - Throws: a sentence that names the unavailable port or family.
    func open(
        _ host: RedirectURI.LoopbackHost,
        port: Int?,
        handler: @escaping RedirectHandler
    ) throws(RedirectFault) -> any RedirectListener
}

/// Why no listener could be opened.
package struct RedirectFault: Error, Sendable {
    package var message: String
    /// This machine has no such address; the port is not in use.
    package var isAddressMissing: Bool

    package init(message: String, isAddressMissing: Bool = false) {
        self.message = message
        self.isAddressMissing = isAddressMissing
    }
}

@LoopActor package protocol BrowserOpener: AnyObject, Sendable {
    /// Opens the user's browser; returns once it was requested.
    ///
    /// - Throws: a sentence that says what is missing.
    func open(_ url: WebURL, command: [String]?) async throws(BrowserError)
}

/// Why no browser could be opened.
package struct BrowserError: Error, Sendable {
    package var message: String

    package init(message: String) {
        self.message = message
    }
}

/// Where events go: the journal, and the clients that subscribed.
@LoopActor package protocol EventLog: AnyObject, Sendable {
    func record(_ event: BrokerEvent)
}

/// The files of the user's own accounts.
@LoopActor package protocol AccountFiles: AnyObject, Sendable {
    /// The account's file, whether it exists or not.
    func path(of account: String) -> String

    /// Written atomically, mode 0600.
    func write(_ content: [UInt8], account: String) throws(AccountFileError)

    func remove(account: String) throws(AccountFileError)

    /// The SHA-256, in hexadecimal, of a file that an account names; nil if it cannot be read.
    func digest(ofFile path: String) -> String?
}

/// Why an account's file could not be written or removed.
package struct AccountFileError: Error, Sendable {
    package var message: String

    package init(message: String) {
        self.message = message
    }
}

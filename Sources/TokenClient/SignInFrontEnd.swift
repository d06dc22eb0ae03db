// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// An application that shows the provider's sign-in page itself, in a view of its own, instead of leaving that to the
/// user's browser. `FrontEndSignIn` tells it what to do.
///
/// Whoever can, should leave the page to the browser (`TokenClient.startLogin`): there the user is signed in already,
/// and sees whose page it is (RFC 8252, section 8.12). This is for applications whose provider wants it otherwise.
public protocol SignInFrontEnd: AnyObject {
    /// Shows this page. Before every navigation of the view, this first one included, ask
    /// `FrontEndSignIn.navigation(to:)`.
    func show(_ url: String)

    /// What to keep with the grant besides what came back with the code; called once, before anything is kept.
    ///
    /// - Parameter returned: the redirect's parameters that OAuth does not define. They are kept in any case; a value of
    ///   the same name overrides them.
    func metadata(addedTo returned: [String: String]) -> [String: String]

    /// The sign-in has ended well: the view can close.
    func signedIn(_ account: SignedInAccount)

    /// The sign-in has ended otherwise. Not called where the application itself has cancelled it.
    func failed(_ error: TokenClientError)
}

extension SignInFrontEnd {
    /// Adds nothing.
    public func metadata(addedTo returned: [String: String]) -> [String: String] { [:] }
}

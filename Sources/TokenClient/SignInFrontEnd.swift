// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// An application that shows the provider's sign-in page itself, in a view of its own, instead of in the user's
/// browser. `FrontEndSignIn` calls it.
///
/// Use the browser if possible (`TokenClient.startLogin`): there the user is signed in already, and sees whose page it
/// is (RFC 8252, section 8.12). This is for applications whose provider requires it.
public protocol SignInFrontEnd: AnyObject {
    /// Shows this page. Before every navigation of the view, including this first one, call
    /// `FrontEndSignIn.navigation(to:)`.
    func show(_ url: String)

    /// Metadata to keep with the grant in addition to the redirect's; called once, before anything is stored.
    ///
    /// - Parameter returned: the redirect's parameters that OAuth does not define. They are kept in any case; a value
    ///   of the same name overrides them.
    func metadata(addedTo returned: [String: String]) -> [String: String]

    /// The sign-in has succeeded: the view can close.
    func signedIn(_ account: SignedInAccount)

    /// The sign-in has failed. Not called if the application itself has cancelled it.
    func failed(_ error: TokenClientError)
}

extension SignInFrontEnd {
    /// Adds nothing.
    public func metadata(addedTo returned: [String: String]) -> [String: String] { [:] }
}

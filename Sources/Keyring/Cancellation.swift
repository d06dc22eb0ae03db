// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSecret

/// A request's way to be ended from the loop while the worker waits inside GLib.
///
/// Unchecked because a raw pointer is not `Sendable`; a GCancellable may be used from every thread.
final class Cancellation: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GCancellable>?

    init() {
        pointer = g_cancellable_new()
    }

    deinit {
        g_object_unref(pointer)
    }

    /// Lets the call that waits return soon, and every later one at once.
    func cancel() {
        g_cancellable_cancel(pointer)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSecret

/// Ends a request from the loop while the worker waits inside GLib.
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

    /// Makes the waiting call return soon, and every later one at once.
    func cancel() {
        g_cancellable_cancel(pointer)
    }
}

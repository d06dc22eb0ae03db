// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Events of a descriptor, to watch for or received (the bits of `epoll(7)`).
package struct DescriptorEvents: OptionSet, Sendable {
    /// The bits, as `epoll(7)` numbers them.
    package let rawValue: UInt32

    /// The events with these bits.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// There are bytes to read, a connection to accept, or the end of the stream.
    package static let readable = DescriptorEvents(rawValue: 0x001)
    /// Urgent data, or an exceptional condition (`EPOLLPRI`).
    package static let urgent = DescriptorEvents(rawValue: 0x002)
    /// A write would not block.
    package static let writable = DescriptorEvents(rawValue: 0x004)
    /// An error is pending; always reported.
    package static let error = DescriptorEvents(rawValue: 0x008)
    /// Both directions are closed; always reported.
    package static let hangUp = DescriptorEvents(rawValue: 0x010)
    /// The peer has shut down its writing side.
    package static let readHangUp = DescriptorEvents(rawValue: 0x2000)
    /// Not an event but a mode (`EPOLLET`): each event is reported once, when it arises or is requested again, and not
    /// as long as it lasts. Of many descriptors that are ready together each costs one wait, not one for every other.
    package static let onEdge = DescriptorEvents(rawValue: 1 << 31)
}

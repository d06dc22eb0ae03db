// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// What a descriptor is watched for, and what happened to it (`epoll(7)`'s bits).
package struct DescriptorEvents: OptionSet, Sendable {
    /// The bits, as `epoll(7)` numbers them.
    package let rawValue: UInt32

    /// The events with these bits.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// There is something to read, a connection to accept, or the end of the stream.
    package static let readable = DescriptorEvents(rawValue: 0x001)
    /// Urgent data, or an exceptional condition (`EPOLLPRI`).
    package static let urgent = DescriptorEvents(rawValue: 0x002)
    /// A write would not block.
    package static let writable = DescriptorEvents(rawValue: 0x004)
    /// An error is pending; reported without being asked for.
    package static let error = DescriptorEvents(rawValue: 0x008)
    /// Both directions are closed; reported without being asked for.
    package static let hangUp = DescriptorEvents(rawValue: 0x010)
    /// The peer has shut down its writing side.
    package static let readHangUp = DescriptorEvents(rawValue: 0x2000)
    /// Not an event but a way of watching (`EPOLLET`): each event is told once, when it arises or is asked for anew, and
    /// not as long as it lasts. Of many descriptors that are ready together each costs one wait, not one for every
    /// other.
    package static let onEdge = DescriptorEvents(rawValue: 1 << 31)
}

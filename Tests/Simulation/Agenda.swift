// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// What is to happen, by the simulated time; what is due at the same moment comes in an order that the dice choose.
@LoopActor final class Agenda {
    /// One thing that is to happen, unless it is cancelled before.
    @LoopActor final class Entry {
        fileprivate var action: (@LoopActor () -> Void)?

        fileprivate init(_ action: @escaping @LoopActor () -> Void) {
            self.action = action
        }

        func cancel() {
            action = nil
        }
    }

    private struct Place {
        var at: Span
        var lot: UInt64
        var entry: Entry

        func isBefore(_ other: Place) -> Bool { (at, lot) < (other.at, other.lot) }
    }

    private(set) var now: Span
    private var heap: [Place] = []
    private var dice: Dice

    init(startingAt now: Span, dice: Dice) {
        self.now = now
        self.dice = dice
    }

    /// How much is to happen still, with what was cancelled and not yet passed.
    var count: Int { heap.count }

    @discardableResult func at(_ instant: Span, _ action: @escaping @LoopActor () -> Void) -> Entry {
        let entry = Entry(action)
        heap.append(Place(at: max(instant, now), lot: dice.next(), entry: entry))
        rise(heap.count - 1)
        return entry
    }

    @discardableResult func after(_ span: Span, _ action: @escaping @LoopActor () -> Void) -> Entry {
        at(now + span, action)
    }

    /// When the machine last woke.
    private(set) var wokeAt: Span = 0

    /// The machine sleeps: what is due meanwhile comes late.
    func sleep(_ span: Span) {
        now += span
        wokeAt = now
    }

    /// Has the next thing happen.
    ///
    /// - Returns: false where nothing is left until `end`, which is the time then.
    func step(until end: Span) -> Bool {
        while let first = heap.first, first.at <= end {
            takeFirst()
            guard let action = first.entry.action else { continue }
            first.entry.action = nil
            now = max(now, first.at)
            action()
            return true
        }
        now = max(now, end)
        return false
    }

    private func rise(_ start: Int) {
        var index = start
        while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private func takeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && heap[child].isBefore(heap[least]) {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}

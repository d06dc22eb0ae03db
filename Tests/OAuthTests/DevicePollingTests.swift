// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Testing

/// When a device login asks, and when no more (RFC 8628, sections 3.3 and 3.5).
@Suite struct DevicePollingTests {
    private func at(_ seconds: Int) -> DevicePolling.Step { .poll(at: .seconds(seconds)) }

    @Test func `polls come an interval after each answer while the person is not done (8628-4)`() {
        var polling = DevicePolling(interval: 5, expiresIn: 60)
        #expect(polling.first(at: .zero) == at(5))
        #expect(polling.first(at: .seconds(2)) == at(7))
        #expect(polling.pending(at: .seconds(6)) == at(11))
        #expect(polling.pending(at: .seconds(13)) == at(18))
    }

    @Test func `slow_down adds five seconds to this and all later polls, each time (8628-4, G5)`() {
        var polling = DevicePolling(interval: 5, expiresIn: 600)
        #expect(polling.slowDown(at: .seconds(5), interval: nil) == at(15))
        #expect(polling.pending(at: .seconds(15)) == at(25))
        #expect(polling.slowDown(at: .seconds(25), interval: nil) == at(40))
        #expect(polling.pending(at: .seconds(40)) == at(55))
        #expect(polling.interval == .seconds(15))
    }

    @Test func `the interval in the body counts where it is the larger one (8628-4)`() {
        var polling = DevicePolling(interval: 5, expiresIn: 600)
        #expect(polling.slowDown(at: .zero, interval: 30) == at(30))
        #expect(polling.slowDown(at: .zero, interval: 10) == at(35))
        #expect(polling.slowDown(at: .zero, interval: -5) == at(40))
        #expect(polling.pending(at: .zero) == at(40))
    }

    @Test func `failures double the wait up to a minute, and an answer ends that (8628-5)`() {
        var polling = DevicePolling(interval: 5, expiresIn: 10_000)
        #expect((0..<5).map { _ in polling.failed(at: .zero) } == [at(10), at(20), at(40), at(60), at(60)])
        #expect(polling.pending(at: .zero) == at(5))
        #expect(polling.failed(at: .zero) == at(10))
    }

    @Test func `a failure never makes polls faster than the interval (8628-5)`() {
        var polling = DevicePolling(interval: 90, expiresIn: 10_000)
        #expect((0..<100).map { _ in polling.failed(at: .zero) }.allSatisfy { $0 == at(90) })
    }

    @Test func `Retry-After is a floor wherever it comes`() {
        var polling = DevicePolling(interval: 5, expiresIn: 10_000)
        #expect(polling.pending(at: .zero, retryAfter: .seconds(20)) == at(20))
        #expect(polling.pending(at: .zero, retryAfter: .seconds(1)) == at(5))
        #expect(polling.failed(at: .zero, retryAfter: .seconds(100)) == at(100))
        #expect(polling.slowDown(at: .zero, interval: nil, retryAfter: .seconds(100)) == at(100))
        #expect(polling.pending(at: .zero) == at(10))
    }

    @Test func `nothing is asked once the codes are over, whatever the provider says (8628-5, G5)`() {
        var polling = DevicePolling(interval: 5, expiresIn: 12)
        let over = DevicePolling.Step.expire(at: .seconds(12))
        #expect(polling.pending(at: .seconds(6)) == at(11))
        #expect(polling.pending(at: .seconds(7)) == over)
        #expect(polling.failed(at: .seconds(3)) == over)
        #expect(polling.slowDown(at: .seconds(100), interval: nil) == over)
        #expect(DevicePolling(interval: 5, expiresIn: 5).first(at: .zero) == .expire(at: .seconds(5)))
    }

    @Test func `an absurd interval is neither a loop nor an overflow (G5)`() {
        var polling = DevicePolling(interval: 0, expiresIn: 100)
        #expect(polling.first(at: .zero) == at(1))
        polling = DevicePolling(interval: .max, expiresIn: .max)
        _ = polling.failed(at: .zero)
        #expect(polling.failed(at: .zero) == .expire(at: .seconds(Int64.max)))
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TestSupport
import Testing

@testable import Systemd

/// In a process of its own, whose descriptors are used up but for a few: the threads that Swift's tasks run on take one
/// now and then, and not for the test (libdispatch looks into `/proc` for how many of them run).
@Suite(.timeLimit(.minutes(1))) struct DescriptorReserveTests {
    @Test func `a look at what is free takes nothing from whoever is lent some`() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 64
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let reserve = DescriptorReserve(8)
            let few = (0..<4).map { _ in open("/dev/null", O_RDONLY) }
            while open("/dev/null", O_RDONLY) >= 0 {}
            few.forEach { close($0) }
            #expect(!DescriptorReserve.areFree(20))
            DetachedThread.run { while true { _ = DescriptorReserve.areFree(20) } }
            for _ in 0..<5000 {
                let count = reserve.lend(atLeast: 8) {
                    let opened = (0..<8).map { _ in open("/dev/null", O_RDONLY) }.filter { $0 >= 0 }
                    opened.forEach { close($0) }
                    return opened.count
                }
                guard count == 8 else {
                    Issue.record("\(count.map { "\($0) of 8" } ?? "nothing")")
                    return
                }
            }
        }
    }
}

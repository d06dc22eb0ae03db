// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Many accounts by their states, for a screen that has no line for each of them: usable ones first. Pure.
struct StatusGroups {
    private struct Group {
        let phrase: String
        let meaning: Palette.Meaning
        let isUsable: Bool
        var accounts: [AccountView]
    }

    private let groups: [Group]
    private let count: Int

    init(_ accounts: [AccountView], at now: Int64) {
        var groups: [Group] = []
        for account in accounts {
            let (phrase, meaning) = account.statePhrase(at: now)
            let isUsable = account.isUsable(at: now)
            if let index = groups.firstIndex(where: { $0.phrase == phrase && $0.isUsable == isUsable }) {
                groups[index].accounts.append(account)
            } else {
                groups.append(Group(phrase: phrase, meaning: meaning, isUsable: isUsable, accounts: [account]))
            }
        }
        self.groups = groups.filter(\.isUsable) + groups.filter { !$0.isUsable }
        count = accounts.count
    }

    /// How many there are, a group each with its names, and the first step where something is to be done.
    func lines(width: Int, palette: Palette) -> [String] {
        let usable = groups.filter(\.isUsable).reduce(0) { $0 + $1.accounts.count }
        var lines = ["\(count) accounts, \(usable) usable. For one of them: tokenctl status ACCOUNT", ""]
        for group in groups {
            let title = "\(group.accounts.count) \(group.phrase)"
            lines.append(palette.paint(title, group.meaning))
            let names = group.accounts.map(\.account).joined(separator: ", ")
            lines += DisplayWidth.wrap(names, width: width - 2).map { "  " + $0 }
            guard !group.isUsable, let step = group.accounts.first?.next else { continue }
            lines += NextStep(step).lines(width: width, palette: palette, indent: "  ")
        }
        return lines
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// One thing that `tokenctl` can be asked to do, as a value: what the parser accepts and what the help says.
package struct Verb: Sendable, Equatable {
    /// Which verb it is; the raw value is what a user types.
    package enum Name: String, Sendable, CaseIterable {
        case login, status, logout, token, refresh, pause, resume, unlock
        case exec, call, forward, doctor, completion, callback
        case accountAdd = "account add"
        case accountSecret = "account secret"
        case accountImport = "account import"
        case accountList = "account list"
        case accountShow = "account show"
        case accountRemove = "account remove"
        case credentialGit = "credential git"
        case credentialDocker = "credential docker"
        case credentialKubernetes = "credential kubernetes"
        case credentialAWS = "credential aws"
        case setup
        case log
        case policyList = "policy list"
        case policyRevoke = "policy revoke"
        case policyAnswer = "policy answer"
        case reload, version, help

        /// Whether it is another tool that runs it, and says which account with `--account`.
        package var isCredentialHelper: Bool { rawValue.hasPrefix("credential ") }
    }

    /// What may stand after the verb without a dash.
    package enum Operand: Sendable, Equatable {
        case none
        case optional(String)
        case required(String)
        case any(String)
        /// So many of them at most, which the verb tells apart itself.
        case several(String, most: Int)
    }

    /// What may stand after `--`: another program's words, which are not looked at.
    package enum Tail: Sendable, Equatable {
        case none
        case optional(String)
        case required(String)
    }

    /// One `--flag`.
    package struct Flag: Sendable, Equatable {
        /// With its dashes, such as `--issuer`.
        package let name: String
        /// What its value is called in the help; nil for a switch.
        package let value: String?
        /// Whether it may be given more than once.
        package let repeats: Bool
        /// Half a line for the help.
        package let help: String

        /// A flag with a value, or, without one, a switch.
        package init(_ name: String, value: String? = nil, repeats: Bool = false, _ help: String) {
            self.name = name
            self.value = value
            self.repeats = repeats
            self.help = help
        }
    }

    /// What a user types.
    package let name: Name
    /// What may stand after it without a dash.
    package let operand: Operand
    /// What may stand after `--`.
    package let tail: Tail
    /// Its flags, but for `--json`.
    package let flags: [Flag]
    /// Half a line for the list of verbs.
    package let summary: String
    /// Whole sentences for the verb's own help.
    package let details: [String]
    /// Complete command lines that work as they stand.
    package let examples: [String]

    /// A verb and its help.
    package init(
        _ name: Name,
        operand: Operand = .none,
        tail: Tail = .none,
        flags: [Flag] = [],
        summary: String,
        details: [String] = [],
        examples: [String]
    ) {
        self.name = name
        self.operand = operand
        self.tail = tail
        self.flags = flags
        self.summary = summary
        self.details = details
        self.examples = examples
    }

    /// The flag of that name, if the verb has it.
    package func flag(named name: String) -> Flag? {
        allFlags.first { $0.name == name }
    }

    /// Its own flags, and `--json` where it has a result to print.
    package var allFlags: [Flag] { flags + (hasResult ? [Self.json] : []) }

    /// Whether it ends in a result: those that become another program, answer one or go on until Ctrl-C do not.
    private var hasResult: Bool {
        switch name {
        case .exec, .call, .forward, .completion, .policyAnswer, .help: false
        default: !name.isCredentialHelper
        }
    }

    /// Every verb with a result takes this one.
    package static let json = Flag("--json", "print the result as one JSON document")
}

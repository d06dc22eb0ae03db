// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON
package import TokendProtocol

/// The presets for accounts, by name: files in the user's and the administrator's folders override the built-in ones.
package struct ProviderPresets: Sendable {
    private var sources: [String: ConfigurationSource]
    /// Files that exist but cannot be read; each also overrides a built-in preset.
    private var unreadable: [String: ConfigurationFault]
    private let own: Set<String>

    /// The built-in presets alone.
    package static let builtIn = ProviderPresets(files: [:])

    /// - Parameters:
    ///   - files: `providers/NAME.json5` by name, the highest layer's.
    ///   - unreadable: the same, for files that exist but cannot be read.
    package init(files: [String: ConfigurationSource], unreadable: [String: ConfigurationFault] = [:]) {
        sources = Self.embedded.merging(files) { _, file in file }
        self.unreadable = unreadable
        own = Set(files.keys).union(unreadable.keys)
    }

    /// Sorted.
    package var names: [String] {
        Set(sources.keys).union(unreadable.keys).sorted()
    }

    /// The file of a preset that a user or an administrator wrote; nil for a built-in one.
    package func file(of name: String) -> String? {
        own.contains(name) ? sources[name]?.file ?? unreadable[name]?.file : nil
    }

    /// The preset of that name; nil if there is none.
    package func preset(_ name: String) throws(ConfigurationFaults) -> ProviderPreset? {
        if let fault = unreadable[name] { throw ConfigurationFaults([fault]) }
        guard let source = sources[name] else { return nil }
        return try ProviderPreset(name: name, source: source)
    }

    /// Faults of files that no account uses; those of the others are faults of their accounts.
    func faults(besides used: Set<String>) -> [ConfigurationFault] {
        own.subtracting(used).sorted().flatMap { name -> [ConfigurationFault] in
            do throws(ConfigurationFaults) {
                _ = try preset(name)
                return []
            } catch {
                return error.list
            }
        }
    }
}

extension ProviderPresets {
    /// A reader for an account's file that falls back to the preset that it names.
    func reader(of source: ConfigurationSource) throws(ConfigurationFaults) -> MemberReader {
        let object = try source.object()
        var first = MemberReader(object, source: source)
        let base = layer(for: &first)
        // Further faults of the preset's members would be noise.
        guard first.faults.isEmpty else { throw ConfigurationFaults(first.faults) }
        var reader = MemberReader(object, source: source, above: base)
        _ = (reader.value("provider"), reader.value("set"))
        return reader
    }

    private func layer(for reader: inout MemberReader) -> MemberReader.Layer? {
        guard let name = reader.string("provider") else {
            if reader.value("set")?.object?.isEmpty == false {
                reader.fault("set", "answers what a preset asks, and no “provider” is named")
            }
            return nil
        }
        do throws(ConfigurationFaults) {
            guard let preset = try preset(name) else {
                let hint = ClosedWords.hint(for: name, among: names)
                let list = "; tokenctl account add --list-providers names them"
                reader.fault("provider", "there is no such preset" + (hint.isEmpty ? list : hint))
                return nil
            }
            let template = PresetTemplate(answers: preset.answers(from: &reader))
            return .init(template.filled(preset.account), source: preset.source, prefix: "account.")
        } catch {
            reader.add(error.list)
            return nil
        }
    }
}

extension ProviderPreset {
    /// The account's answers from `set`, with defaults for the rest.
    fileprivate func answers(from reader: inout MemberReader) -> [String: String] {
        var inner = reader.inner("set") ?? MemberReader([:], source: source)
        var answers: [String: String] = [:]
        for question in asks {
            guard let answer = inner.string(question.name) else {
                answers[question.name] = question.standard
                if question.standard == nil, !inner.has(question.name) {
                    let example = question.example.map { ", such as “\($0)”" } ?? ""
                    reader.fault("set", "lacks “\(question.name)”: \(question.about)\(example)")
                }
                continue
            }
            if let fault = question.fault(of: answer) {
                inner.fault(question.name, fault)
            } else {
                answers[question.name] = answer
            }
        }
        inner.finish()
        reader.add(inner.faults)
        return answers
    }
}

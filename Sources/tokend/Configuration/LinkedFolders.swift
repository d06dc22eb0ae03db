// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// The folders that files behind links lie in. A change there changes what the configuration says, and happens in no folder
/// of the configuration: dotfiles that stow or chezmoi linked.
struct LinkedFolders {
    /// As many links as the kernel follows for one path.
    private static let mostLinks = 40
    /// A folder of files that are all linked is no reason to watch without end.
    private static let mostFolders = 64

    /// Where the links among `folders`, and among the files in them, lead, and lie.
    static func of(_ folders: [String]) -> Set<String> {
        var found: Set<String> = []
        for folder in folders {
            let isLink = target(of: folder) != nil
            if isLink { found.insert(parent(of: folder)) }
            found.formUnion(chain(from: folder))
            for name in names(in: folder) { found.formUnion(chain(from: folder + "/" + name)) }
            guard found.count < mostFolders else { break }
        }
        return found
    }

    /// The folders of all that a link leads to, one after the other; none where the path is no link.
    private static func chain(from path: String) -> Set<String> {
        var (path, found) = (path, Set<String>())
        for _ in 0..<mostLinks {
            guard let next = target(of: path) else { break }
            path = next.hasPrefix("/") ? next : parent(of: path) + "/" + next
            found.insert(parent(of: path))
        }
        return found
    }

    private static func target(of path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".json5"), !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}

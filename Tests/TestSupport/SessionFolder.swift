// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import FoundationEssentials
internal import Glibc

/// The folder of a ``KeyringSession`` and the configuration of its bus.
enum SessionFolder {
    /// A new folder under the system's temporary one (its path short enough for a socket's), with `home` and `run`.
    static func make() throws -> String {
        var template = Array("/tmp/tokend-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ChildProcessError("no folder for a test: errno \(errno)") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        for name in ["home", "run", "services"] {
            guard mkdir("\(folder)/\(name)", 0o700) == 0 else {
                throw ChildProcessError("no folder \(folder)/\(name): errno \(errno)")
            }
        }
        return folder
    }

    /// Writes the bus's configuration and returns its path.
    static func writeBusConfiguration(in folder: String, activatable: Bool) throws -> String {
        if activatable {
            try write(
                """
                [D-BUS Service]
                Name=org.freedesktop.secrets
                Exec=/usr/bin/gnome-keyring-daemon --start --foreground --components=secrets
                """,
                to: "\(folder)/services/org.freedesktop.secrets.service"
            )
        }
        let path = "\(folder)/bus.conf"
        try write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <keep_umask/>
              <listen>unix:path=\(folder)/run/bus</listen>
              <servicedir>\(folder)/services</servicedir>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
              </policy>
            </busconfig>
            """,
            to: path
        )
        return path
    }

    static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }
}

// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

// One section a box (pure, overlays, shell, tests); inside a box sorted by what builds on what.
// The arrows here are the ones in docs/modules.md; `.ci/check-imports` compares every folder's
// `import` lines with them.

import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

func library(_ name: String, pkgConfig: String, apt package: String, path: String? = nil) -> Target {
    .systemLibrary(name: name, path: path, pkgConfig: pkgConfig, providers: [.apt([package])])
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

// The tokenctl that is shipped is one static file (scripts/lib/stage.sh), at an address of the kernel's choice all the
// same. Swift's run-time would look for its backtracer at each start, by way of /proc, and end where that is missing: a
// function that finds nothing takes the place of that search.
let staticLink: [LinkerSetting] =
    Context.environment["TOKEND_STATIC_CLIENT"] != "1"
    ? []
    : [
        .unsafeFlags([
            "-static-executable", "-Xclang-linker", "-static-pie", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
            "-Xlinker", "--defsym=swift_copyAuxiliaryExecutablePath=secure_getenv",
        ])
    ]

let package = Package(
    name: "tokend",
    products: [
        .executable(name: "tokend", targets: ["tokend"]),
        .executable(name: "tokenctl", targets: ["tokenctl"]),
        .library(name: "TokenClient", targets: ["TokenClient"]),
    ],
    targets: [
        // Pure: values and decisions, no input or output.
        module("Secrets"),
        module("StrictJSON"),
        module("HTTPTypes", ["Secrets", "StrictJSON"]),
        module("JOSE", ["CCrypto", "Secrets", "StrictJSON"]),
        module("OAuth", ["HTTPTypes", "JOSE", "Secrets", "StrictJSON"]),
        module("Members", ["Secrets", "StrictJSON"]),
        module("TokendProtocol", ["Members", "Secrets", "StrictJSON"]),

        // Overlays: one C library each, in Swift's terms.
        module("Linux", ["CLinux"]),
        module("Systemd", ["CSystemd", "Linux"]),
        module("HTTP", ["CCurl", "CMicroHTTPD", "HTTPTypes", "Linux", "Secrets", "Systemd"]),
        module("Keyring", ["CSecret", "Linux", "Secrets", "Systemd"]),

        // Shell: what moves.
        module(
            "Broker",
            ["HTTPTypes", "JOSE", "Members", "OAuth", "Secrets", "StrictJSON", "Systemd", "TokendProtocol"],
            resources: [.embedInCode("Providers")]
        ),
        .executableTarget(
            name: "tokend",
            dependencies: [
                "Broker", "HTTP", "HTTPTypes", "JOSE", "Keyring", "Linux", "Members", "OAuth", "Secrets", "StrictJSON",
                "Systemd",
                "TokendProtocol",
            ],
            swiftSettings: settings
        ),
        module("TokenClient", ["Secrets", "StrictJSON", "TokendProtocol"]),
        .executableTarget(
            name: "tokenctl",
            dependencies: [
                "HTTPTypes", "Linux", "Secrets", "StrictJSON", "TokenClient", "TokendProtocol",
            ],
            swiftSettings: settings,
            linkerSettings: staticLink
        ),
        .executableTarget(name: "tokenctl-qr", dependencies: ["CQREncode"]),

        .executableTarget(
            name: "terminal-front-end",
            dependencies: ["TokenClient"],
            path: "examples/terminal-front-end",
            swiftSettings: settings
        ),

        // C libraries.
        library("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev"),
        .systemLibrary(name: "CLinux"),
        library("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
        library("CMicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
        library("CQREncode", pkgConfig: "libqrencode", apt: "libqrencode-dev"),
        library("CSecret", pkgConfig: "libsecret-1", apt: "libsecret-1-dev", path: "CSecret"),
        library("CSystemd", pkgConfig: "libsystemd", apt: "libsystemd-dev"),

        // Tests, and what they share.
        .target(
            name: "TestSupport",
            dependencies: ["HTTPTypes", "JOSE", "Secrets", "StrictJSON", "TokendProtocol"],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "demo-provider",
            dependencies: ["TestSupport"],
            path: "Tests/demo-provider",
            swiftSettings: settings
        ),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Broker", "HTTPTypes", "JOSE", "Members", "OAuth", "Secrets", "StrictJSON", "TokendProtocol",
            ],
            path: "Tests/FuzzTargets",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "fuzz",
            dependencies: ["CFuzzer", "FuzzTargets"],
            path: "Tests/fuzz",
            swiftSettings: settings
        ),
        .target(
            name: "Simulation",
            dependencies: [
                "Broker", "HTTPTypes", "JOSE", "OAuth", "Secrets", "StrictJSON", "Systemd", "TokendProtocol",
            ],
            path: "Tests/Simulation",
            exclude: ["seeds"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "simulate",
            dependencies: ["Simulation", "Systemd"],
            path: "Tests/simulate",
            swiftSettings: settings
        ),
        .systemLibrary(name: "CFuzzer", path: "Tests/CFuzzer"),
        tests("FuzzTests", ["Broker", "FuzzTargets", "TokendProtocol"]),
        tests("SecretsTests", ["Secrets"]),
        tests("StrictJSONTests", ["StrictJSON"]),
        tests("HTTPTypesTests", ["HTTPTypes", "Secrets"]),
        tests("JOSETests", ["JOSE", "Secrets", "StrictJSON"]),
        tests(
            "OAuthTests",
            ["HTTPTypes", "JOSE", "OAuth", "Secrets", "StrictJSON"],
            resources: [.copy("Vectors")]
        ),
        tests("TokendProtocolTests", ["Secrets", "StrictJSON", "TokendProtocol"]),
        tests("SystemdTests", ["CSystemd", "Linux", "Systemd", "TestSupport"]),
        tests("HTTPTests", ["HTTP", "HTTPTypes", "Secrets", "StrictJSON", "Systemd", "TestSupport"]),
        tests("KeyringTests", ["Keyring", "Linux", "Secrets", "Systemd", "TestSupport"]),
        tests(
            "BrokerTests",
            [
                "Broker", "HTTPTypes", "JOSE", "Members", "OAuth", "Secrets", "StrictJSON", "Systemd", "TestSupport",
                "TokendProtocol",
            ]
        ),
        tests("TokendTests", ["Broker", "JOSE", "Members", "Secrets", "StrictJSON", "Systemd", "tokend"]),
        tests("TokenctlTests", ["HTTPTypes", "Secrets", "StrictJSON", "TokenClient", "TokendProtocol", "tokenctl"]),
        tests(
            "IntegrationTests",
            [
                "Broker", "HTTPTypes", "JOSE", "Members", "Secrets", "StrictJSON", "TestSupport", "TokenClient",
                "TokendProtocol",
            ]
        ),
    ]
)

// .ci/trixie builds some of the tests alone.
if let named = Context.environment["TOKEND_TEST_TARGETS"]?.split(separator: " ").map(String.init) {
    for name in named where !package.targets.contains(where: { $0.type == .test && $0.name == name }) {
        fatalError("TOKEND_TEST_TARGETS: there is no test target “\(name)”; names stand with spaces between")
    }
    package.targets.removeAll { $0.type == .test && !named.contains($0.name) }
}

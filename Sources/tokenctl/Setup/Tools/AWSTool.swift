// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension BlockTool {
    static let aws = BlockTool(
        name: "aws",
        kind: nil,
        file: { $0["AWS_CONFIG_FILE"] ?? $0.home + "/.aws/config" },
        asks: [
            SetupQuestion(.role, such: "arn:aws:iam::123456789012:role/work") { values, text throws(TokenctlError) in
                values.role = text
            }
        ],
        recipe: { values in
            let head = "[profile \(values.account)]"
            let helper = "\(values.program) credential aws --account \(values.account) --role \(values.role)"
            return Recipe(lines: [head, "credential_process = \(helper)"], head: head)
        }
    )
}

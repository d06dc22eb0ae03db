// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth

extension ProviderDialect {
    /// What may stand between scopes.
    private enum Separator: String, CaseIterable {
        case space
        case comma
    }

    /// Reads the `dialect` object of an account's file or of a preset.
    init(reading reader: inout MemberReader) {
        self.init()
        bearerNames = Set(reader.strings("bearer_names") ?? [])
        missingTypeIsBearer = reader.bool("missing_type_is_bearer") ?? missingTypeIsBearer
        zeroLifetimeIsUnlimited = reader.bool("zero_lifetime_is_unlimited") ?? zeroLifetimeIsUnlimited
        lifetimeIsInMilliseconds = reader.bool("lifetime_is_in_milliseconds") ?? lifetimeIsInMilliseconds
        accessDeniedMeansWrongSecret = reader.bool("access_denied_means_wrong_secret") ?? accessDeniedMeansWrongSecret
        scopeParameter = reader.string("scope_parameter") ?? scopeParameter
        if scopeParameter != "scope", AuthorizationRequest.reservedParameters.contains(scopeParameter) {
            reader.fault("scope_parameter", "is set by the protocol itself and cannot be changed")
        }
        scopeSeparator = reader.word("scope_separator", as: Separator.self) == .comma ? "," : " "
        reader.finish()
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth

extension ProviderDialect {
    /// The separators between scopes.
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
        deviceScopeParameter = reader.string("device_scope_parameter") ?? deviceScopeParameter
        for (name, parameter) in [
            ("scope_parameter", scopeParameter), ("device_scope_parameter", deviceScopeParameter),
        ] where parameter != "scope" && AuthorizationRequest.reservedParameters.contains(parameter) {
            reader.fault(name, "is set by the protocol itself and cannot be changed")
        }
        scopeSeparator = reader.word("scope_separator", as: Separator.self) == .comma ? "," : " "
        scopesChooseResource = reader.bool("scopes_choose_resource") ?? scopesChooseResource
        refreshSendsRedirectURI = reader.bool("refresh_sends_redirect_uri") ?? refreshSendsRedirectURI
        reader.finish()
    }
}

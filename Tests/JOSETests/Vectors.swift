// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Keys and signatures from the RFCs, and from another implementation where the RFCs have none. None of
/// these keys protects anything.
enum Vectors {
    /// RFC 7515, appendix A.2.1: the private RSA key.
    static let rfc7515A2Key = #"""
        {"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2\#
        mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSH\#
        SXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7\#
        aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB","d":"Eq5xpG\#
        nNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui3\#
        95IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4\#
        D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOne\#
        ufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ","p":"4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3\#
        bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1Vh\#
        vKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUc","q":"uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAm\#
        ZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD_YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBByp\#
        eeF6689rjcJIDEz9RWdc","dp":"BwKfV3Akq5_MFZDFZCnW-wzl-CCo83WoZvnLQwCTeDv8uzluRSnm71I3QCLdhrqE2e9Y\#
        kxvuxdBfpT_PI7Yz-FOKnu1R6HsJeDCjn12Sk3vmAktV2zb34MCdy7cpdTh_YVr7tss2u6vneTwrA86rZtu5Mbr1C1Xsmvkx\#
        HQAdYo0","dq":"h_96-mK1R_7glhsum81dZxjTnYynPbZpHziZjeeHcXYsXaaMwkOlODsWa7I9xXDoRwbKgB719rrmI2oKr\#
        6N3Do9U0ajaHF-NKJnwgjMd2w9cjz3_-kyNlxAr2v4IKhGNpmM5iIgOS1VZnOZ68m6_pbLBSp3nssTdlqvd0tIiTHU","qi"\#
        :"IYd7DHOhrWvxkwPQsRM2tOgrjbcrfvtQJipd-DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd_QJQ3ydy5cY7YIB\#
        i87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp_gh6A5603k2-ZQwVK0JKSHuLFkuQ3U"}
        """#

    /// RFC 7515, appendix A.2.1: RS256.
    static let rfc7515A2 = #"""
        eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9\#
        pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Q\#
        c_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARN\#
        PvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6I\#
        eYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
        """#

    /// RFC 7515, appendix A.3.1: the private P-256 key.
    static let rfc7515A3Key = #"""
        {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_\#
        tue659LNpXW6pCyStikYjKIWI5a0","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}
        """#

    /// RFC 7515, appendix A.3.1: ES256.
    static let rfc7515A3 = #"""
        eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9\#
        pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqP\#
        P3-Kg6NU1Q
        """#

    /// RFC 7515, appendix A.4.1: the private P-521 key.
    static let rfc7515A4Key = #"""
        {"kty":"EC","crv":"P-521","x":"AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLF\#
        V1jSfS9tsz4qUxcWceqwQGk","y":"ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd\#
        0AZMaZmh9ubmf63e3kyMj2","d":"AY5pb7A0UFiB3RELSD64fTLOSV_jazdF7fLYyuTw8lOfRhWg6Y6rUrPAxerEzgdRhaj\#
        nu0ferB0d53vM9mE15j2C"}
        """#

    /// RFC 7515, appendix A.4.1: ES512.
    static let rfc7515A4 = #"""
        eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZq\#
        wqT2SI-KGDKB34XO0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9E\#
        RBXukOXolLzeO_Jn
        """#

    /// RFC 7520, section 3.3: the public RSA key.
    static let rfc7520RSAKey = #"""
        {"kty":"RSA","kid":"bilbo.baggins@hobbiton.example","use":"sig","n":"n4EPtAOCc9AlkeQHPzHStgAbgs7\#
        bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_AJmSCpMaJMRBSFKrKb2wqVwGU_NsYOYL-Qt\#
        iWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJl\#
        sde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3__kRh\#
        uaxwUkRz5iaiQkqgc5gHdrNP5zw","e":"AQAB"}
        """#

    /// RFC 7520, section 4.2.3: PS384.
    static let rfc7520PS384 = #"""
        eyJhbGciOiJQUzM4NCIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.SXTigJlzIGEgZGFuZ2Vyb3V\#
        zIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm9hZCwgYW5kIGlmIHl\#
        vdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ2h0IGJlIHN3ZXB0IG9\#
        mZiB0by4.cu22eBqkYDKgIlTpzDXGvaFfz6WGoz7fUDcfT0kkOy42miAh2qyBzk1xEsnk2IpN6-tPid6VrklHkqsGqDqHCdP\#
        6O8TTB5dDDItllVo6_1OLPpcbUrhiUSMxbbXUvdvWXzg-UD8biiReQFlfz28zGWVsdiNAUf8ZnyPEgVFn442ZdNqiVJRmBqr\#
        YRXe8P_ijQ7p8Vdz0TTrxUeT3lm8d9shnr2lfJT8ImUjvAA2Xez2Mlp8cBE5awDzT0qI0n6uiP1aCN_2_jLAeQTlqRHtfa64\#
        QQSUmFAAjVKPbByi7xho0uTOcbH510a6GYmJUAfmWjwZ6oD4ifKo8DYM-X72Eaw
        """#

    /// RFC 7520, section 3.1: the public P-521 key.
    static let rfc7520ECKey = #"""
        {"kty":"EC","kid":"bilbo.baggins@hobbiton.example","use":"sig","crv":"P-521","x":"AHKZLLOsCOzz5c\#
        Y97ewNUajB957y-C-U88c3v13nmGZx6sYl_oJXu9A5RkTKqjqvjyekWF-7ytDyRXYgCF5cj0Kt","y":"AdymlHvOiLxXkEh\#
        ayXQnNCvDX4h9htZaCJN34kfmC6pV5OhQHiraVySsUdaQkAgDPrwQrJmbnX9cwlGfP-HqHZR1"}
        """#

    /// RFC 7520, section 4.3.3: ES512.
    static let rfc7520ES512 = #"""
        eyJhbGciOiJFUzUxMiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.SXTigJlzIGEgZGFuZ2Vyb3V\#
        zIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm9hZCwgYW5kIGlmIHl\#
        vdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ2h0IGJlIHN3ZXB0IG9\#
        mZiB0by4.AE_R_YZCChjn4791jSQCrdPZCNYqHXCTZH0-JZGYNlaAjP2kqaluUIIUnC9qvbu9Plon7KRTzoNEuT4Va2cmL1e\#
        JAQy3mtPBu_u_sDDyYjnAMDxXPn7XrT0lw-kvAD890jl8e2puQens_IEKBpHABlsbEPX6sFY8OcGDqoRuBomu9xQ2
        """#

    /// RFC 8037, appendix A.1: the private Ed25519 key.
    static let rfc8037Key = #"""
        {"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A","x":"11qYAYKxCrfV\#
        S_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
        """#

    /// RFC 8037, appendix A.4: EdDSA.
    static let rfc8037A4 = #"""
        eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AI\#
        bQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
        """#

    /// RFC 7638, section 3.1: a public RSA key.
    static let rfc7638Key = #"""
        {"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhD\#
        R1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0\#
        _FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6\#
        WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS25\#
        6","kid":"2011-04-29"}
        """#

    /// A P-384 key of another implementation (Python's cryptography 50).
    static let otherP384Key = #"""
        {"crv":"P-384","kty":"EC","x":"Fh0ddjTnYwWSKUBqBpXG97pVUjZVDFWaP3S8uEHQx4PENLmiw0u2oPJxjUZjBFSr"\#
        ,"y":"sLlWkNeTfEzO8ErWIdb66snmcEai9HuIuD4N6N5E9HOzedYbXsBBSjkar3GvP64e"}
        """#

    /// RS384 with the key of RFC 7515, appendix A.2.1, by PyJWT 2.15.
    static let otherRS384 = #"""
        eyJhbGciOiJSUzM4NCJ9.eyJzdWIiOiIyNDQwMDMyMCJ9.FWGKDjzFmMO6ojPJwTHHnXQlby-TALLnqmgl5LXxzAGJSQAmKl\#
        KBNEeb5_A3mSaKUIIvRBRlNNY4EregiiFuLJbrW9StQcHhiZtXixMXcl8LIzeVGCTTqmcMXnk_RYyFkLYdY7Q8AhLVbTyFzZ\#
        brm2LoRG5V830zkseC1gLVzyJCYfADMIMHXse49wPfHNmoX6qHP24aSG9VoPouUrxC6NGl-uOJnQMerFgLMVO-pcrV4nMCpk\#
        YpCA4m6y1AsmXtJwHkA-M-qA72TjsEQCIT9B5hneMgl4242wNoL4ECryymavcmILqP_s8_WT2qQEf1e-dAoFPMcMtMJxZxdk\#
        ayrA
        """#

    /// RS512 with the key of RFC 7515, appendix A.2.1, by PyJWT 2.15.
    static let otherRS512 = #"""
        eyJhbGciOiJSUzUxMiJ9.eyJzdWIiOiIyNDQwMDMyMCJ9.Ytf1S0alLRnL7RdxiUCUG-iBKRpv0k7Jfn70tL85URF9fvYgO0\#
        HlUZQJIaYDdbmoJ-7dgP9qQ1MKnvMcAy5wiXhEzVkxTlm8hIhDgW0a7UPZ08-VOxco7oVTdFPzWk17lL-_35CXGWHcAKunxb\#
        0LFPetRe7VVya3u_ExnsB7-GN_c_Pi2Acs2J9D_mi8U_ucQPBmzmejE2rmkRcelDOWmUWwOs_dlI2MQOlLjkV4JeLWn578Nm\#
        tUbahWlkn-UDPcxXpzrQ0MOFMFnV7f5aeQuG_32DO7oqFJvgdGGA_n-nnJO-nQnzBHDrLJOBdA_dli3oTN4vI-OS2kP6qK9q\#
        NRfQ
        """#

    /// PS256 with the key of RFC 7515, appendix A.2.1, by PyJWT 2.15.
    static let otherPS256 = #"""
        eyJhbGciOiJQUzI1NiJ9.eyJzdWIiOiIyNDQwMDMyMCJ9.VetX5C3Gob5-skfxgbYJyLLM_kc-3HV5fU8wswr3rViZ4nkXPk\#
        bQvyrb17Z8ANJL_NWKu8cxOR5hbfr3p3fR8FntwSQfElJgMNjJvhXwSOzlXUZ0HW3I6dH0E6i5sP2UoP2wcyoVoKqztxApYB\#
        463DIk7BkjRmSirZHSDxIeazrLcNGxzmWqUEGGFb1Z6HjpL2ruzJueRciKIjyJruDQBDqr3FgAb84Dxl5-lnNkPTZeg72sn6\#
        Zn-jQ_etY4ABQoyzTjIy4-Qia_Df2hysdpwFIhkFINAQK2ZYREpowM8otPyHc_tfW7YsTScJwHtyfa4ryyHhvXIXNEaEsSkJ\#
        PogA
        """#

    /// PS512 with the key of RFC 7515, appendix A.2.1, by PyJWT 2.15.
    static let otherPS512 = #"""
        eyJhbGciOiJQUzUxMiJ9.eyJzdWIiOiIyNDQwMDMyMCJ9.Yttmn_EnWpWR0tH1p9HviybMWR_EkN0_MLYAU_f5e-3s855f1O\#
        oPVk7wC5V6vIe7goMutBYUU7jBJuPQiCO_3ITHcYyNdek7er0dLmDdxJNagQqVknkwDw2VzYjnKvyEhS4kvrGuAfw-32HPlu\#
        uGAPIsBDufQjAOUJq2k6gslus-KnP12jvWPkEP7PueRjDGkv1dske1VSaiWfPjWvt3Y36brh75VKLju0Sbu_9VPUHyIYUKQZ\#
        23Jo3psQ4q6M4ZFAzO0LLGZNGsCpQJEYblh49n1NCbhNlbhJbOmSCRA4Odk1ycjDA0gegSOSyg8v8cKXeqe8GAhZgVgaV_F_\#
        wRJg
        """#

    /// ES384 with the P-384 key, by PyJWT 2.15.
    static let otherES384 = #"""
        eyJhbGciOiJFUzM4NCJ9.eyJzdWIiOiIyNDQwMDMyMCJ9.mIN28UvCufJy1z_e2xUiPcDtKHoegqDLJm9zFZpTqyopKzRZxB\#
        Xm035I1m2a_KwrVI8hVFPFPYR3LPhZIlirG5TXe4U1Sp5wV1tmU7k7CHxWS_p0a11RFHJd2oWSAlLD
        """#

    /// The key of RFC 7515, appendix A.3.1 as PKCS #8, by OpenSSL.
    static let pkcs8PEM = pem(
        "PRIVATE KEY",
        """
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff
        H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp
        7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt
        """
    )

    /// The same as SEC 1.
    static let sec1PEM = pem(
        "EC PRIVATE KEY",
        """
        MHcCAQEEII6bEJ5xkJi/mASH3x9dd+nLKWBuvtImO19XwhPfhPSyoAoGCCqGSM49
        AwEHoUQDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEXH8UTNG72b
        focs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
        """
    )

    /// The same encrypted with the passphrase "test".
    static let encryptedPEM = pem(
        "ENCRYPTED PRIVATE KEY",
        """
        MIH0MF8GCSqGSIb3DQEFDTBSMDEGCSqGSIb3DQEFDDAkBBCYiAe/rflxtGbpXU4x
        gpKMAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQyr/8xBo0yU8GNrZ3
        ZPPgUgSBkElQVvR+wr5WGbvfMgLBOV0CJZXCU6qcfVt9wXSZIUc94sLe1sDj7Yrj
        TxjRV1TiyUbHNGePpS0vKpjmo4vKSTzP5S9t/lMffZ40KYEY5AZbadYnI403bxpr
        G/ZSl3vMdlmLJKN1pKNGWPx5920ZDSAkytX1Iz5YBI+HTgcVt8iHj7Dw2rb9q3ms
        zwA4uFu6EA==
        """
    )

    /// Its public part.
    static let publicPEM = pem(
        "PUBLIC KEY",
        """
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
        6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
        """
    )

    /// An RSA key of 1024 bits.
    static let shortRSAPEM = pem(
        "PRIVATE KEY",
        """
        MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAJ9vI1oOl0WxgEX0
        q/tk/kwZcEt6nwTymhYvtBD0lTyCC893r5Kixfdkxtp2IlgGCySfFMCL7QNTgTxH
        8OwwrTixXkMPsgClAdttXTiMovK3pCq7E/om35QQnN9i5JMmsIB1xLfhEco2dwLj
        t1IEA/CX+n3Mc+I30ch0McU1EhfZAgMBAAECgYBpPrY5drRJH1kr1M3Kz+pGVeyZ
        BsL+Qx+QUcEuCCaToM0nETznMWg5XV8fSyh0rtigPhs216eHsJH5NwxE/gT6AvCe
        sSJVAmQvo4k0iWs1yMh0rHTtofKqYZ0KTR2xyDCD2TWNZBsZ221iGt6V6n7gqrs7
        IO2+ZnWqdN7qupFdAQJBAMsmldvTSsRXhG5/YoLCus9rsX3VF/hiMHrCvN1rbqr2
        vB8pFcb1HpqW5/U//PLEPt7ddlXYhziQT6G78njW8PECQQDI6R5wqNxoW12W2EwE
        RIMC3w10JmKDgnzmA1gn9EFcbrjKA2XUPGxrXmjf25q+owFr4TFhp2tN6O4OHJc1
        fZVpAkEAu225G5zAwY+BRrVOfRgOZOqWUmM1f1uQIOLkf2DsNN35yMIOLobemoAa
        OGK2DIFVBCfNUvy4HU6/uZd+6VBd8QJAdp+l2HDrSjZ/6LunDnIBRKW8RNMRIYLf
        CdP5rgV6vf+l3ajp68kNXsusclgwYtTN1wtsY7M9GRAp1m0tHmka2QJBAKtSxsPN
        TeJeU375pU+W3/kps4u3wHGk7k4QwF+6jHXMHosfmVpojhnKxsV3p8XON1EOHYp+
        vRYcPOQXb4lg8js=
        """
    )

    /// Its public part.
    static let shortRSAKey = #"""
        {"kty":"RSA","e":"AQAB","n":"n28jWg6XRbGARfSr-2T-TBlwS3qfBPKaFi-0EPSVPIILz3evkqLF92TG2nYiWAYLJJ8\#
        UwIvtA1OBPEfw7DCtOLFeQw-yAKUB221dOIyi8rekKrsT-ibflBCc32LkkyawgHXEt-ERyjZ3AuO3UgQD8Jf6fcxz4jfRyHQ\#
        xxTUSF9k"}
        """#

    /// A key on secp256k1, which is not used here.
    static let p256kPEM = pem(
        "PRIVATE KEY",
        """
        MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQg2lYdT+aJm3v9RBYxX3s/
        NdeQqG3VjXbzXoUb4pw0RvWhRANCAATTbuHmuiuAVLKPPR/9EY/ly0EkScFOAsR/
        v63j5YSEXCUSmakdgnKas21OQYqJn6sqbF2CVUMRX1BWWEuTLibR
        """
    )

    /// Puts the lines around a body, so that this file holds nothing that looks like somebody's key.
    private static func pem(_ label: String, _ body: String) -> String {
        "-----BEGIN \(label)-----\n\(body)\n-----END \(label)-----\n"
    }
}

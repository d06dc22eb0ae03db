// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The one style sheet of the sign-in pages. It is part of the page, and the page's policy names its digest, so that no
/// other style (and nothing else) can take effect there.
enum SignInStyle {
    /// The sheet in `Content-Security-Policy`: the SHA-256 of `sheet`, byte for byte (CSP 3, section 8.5). A test
    /// compares the two.
    static let source = "'sha256-BxW1lzDCzQ4bnEhwtlomgOMN/6hWAb6vgrVPcKr1HAI='"

    /// The sheet: light and dark by the user's setting, one card, no external image or font.
    static let sheet = """
        :root{color-scheme:light dark;--page:#eef1f6;--glow:#dfe6f5;--card:#fff;--edge:#d9dfe9;--ink:#141a26;\
        --soft:#525e73;--well:#f4f6fa;--tone:#4a5870;--tint:#e9edf4;--shade:rgba(24,36,66,.13)}
        @media (prefers-color-scheme:dark){:root{--page:#0d1118;--glow:#182236;--card:#161c27;--edge:#29323f;\
        --ink:#eef2f8;--soft:#a3afc2;--well:#0f141d;--tone:#a9b8d0;--tint:#232d3d;--shade:rgba(0,0,0,.5)}}
        .done{--tone:#12784a;--tint:#dcf3e6}
        .no{--tone:#8a5a00;--tint:#fbeecf}
        .bad{--tone:#b3261e;--tint:#fce3e0}
        @media (prefers-color-scheme:dark){.done{--tone:#5fd79b;--tint:#12372a}.no{--tone:#f2c25c;--tint:#3a2d10}\
        .bad{--tone:#ff9d93;--tint:#431f1d}}
        *{box-sizing:border-box}
        html{height:100%}
        body{min-height:100%;margin:0;padding:clamp(1rem,3vh,3rem) clamp(1rem,4vw,3rem);display:grid;\
        place-content:center;\
        grid-template-columns:minmax(0,31rem);gap:clamp(.75rem,2.5vh,1.5rem);color:var(--ink);\
        background:radial-gradient(60rem 36rem at 50% -8rem,var(--glow),transparent) no-repeat var(--page);\
        font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,Cantarell,"Noto Sans",sans-serif;\
        -webkit-text-size-adjust:100%;text-size-adjust:100%}
        main{background:var(--card);border:1px solid var(--edge);border-radius:1.25rem;overflow:hidden;\
        padding:clamp(1.5rem,4vh,2.75rem) clamp(1.75rem,6vw,2.75rem);\
        box-shadow:0 1px 2px var(--shade),0 1.25rem 3rem -1rem var(--shade);\
        text-align:center}
        .mark{display:grid;place-items:center;width:4.5rem;height:4.5rem;margin:0 auto 1.5rem;border-radius:50%;\
        background:var(--tint);color:var(--tone);box-shadow:0 0 0 .5rem color-mix(in srgb,var(--tint) 45%,transparent)}
        svg{width:2.25rem;height:2.25rem;fill:none;stroke:currentColor;stroke-width:2.25;stroke-linecap:round;\
        stroke-linejoin:round;stroke-dasharray:1;stroke-dashoffset:0}
        h1{margin:0;font-size:clamp(1.5rem,5vw,1.75rem);line-height:1.2;font-weight:650;letter-spacing:-.015em;\
        text-wrap:balance}
        p{margin:.75rem 0 0;color:var(--soft);text-wrap:balance;overflow-wrap:anywhere}
        dl{margin:1.75rem 0 0;padding:.25rem 1.125rem;border:1px solid var(--edge);border-radius:.875rem;\
        background:var(--well);text-align:left}
        dl div{display:flex;flex-wrap:wrap;gap:0 1rem;padding:.625rem 0;font-size:.9375rem}
        dl div+div{border-top:1px solid var(--edge)}
        dt{flex:none;color:var(--soft)}
        dd{flex:1 1 auto;margin:0;min-width:0;font-weight:550;text-align:right;overflow-wrap:anywhere}
        .note{margin-top:1.75rem;padding:1rem 1.125rem;border-radius:.875rem;background:var(--well);\
        border:1px solid var(--edge);text-align:left;text-wrap:pretty;color:var(--ink)}
        .note strong{display:block;font-size:.875rem;color:var(--tone)}
        code{display:block;margin-top:.625rem;padding:.5rem .75rem;border-radius:.5rem;background:var(--card);\
        border:1px solid var(--edge);font:.9375rem/1.5 ui-monospace,"Cascadia Mono","DejaVu Sans Mono",monospace;\
        overflow-wrap:anywhere;user-select:all}
        .end{margin-top:1.75rem;font-size:.9375rem}
        footer{text-align:center;font-size:.8125rem;line-height:1.5;color:var(--soft);text-wrap:balance}
        footer b{color:var(--ink);font-weight:650;letter-spacing:-.01em}
        @media (max-width:30rem){body{align-content:start;padding-top:max(1rem,6vh)}main{padding:1.75rem 1.25rem}\
        dl{padding:.25rem 1rem}dt{font-size:.8125rem}dd{flex-basis:100%;text-align:left}}
        @media (prefers-reduced-motion:no-preference){main{animation:rise .4s cubic-bezier(.2,.7,.2,1)}\
        svg path{animation:draw .4s .1s ease-out backwards}}
        @keyframes rise{from{transform:translateY(.75rem)}}
        @keyframes draw{from{stroke-dashoffset:1}}
        @media (forced-colors:active){main,.mark{border:1px solid CanvasText}}
        @media print{body{background:none}main{box-shadow:none}}
        """
}

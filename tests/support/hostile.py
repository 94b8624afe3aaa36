"""Two hundred texts that must do no harm in a page, a figure or a spreadsheet."""

from __future__ import annotations

_SCRIPTS = (
    "<script>window.hurt=1</script>",
    "</script><script>window.hurt=1</script>",
    "</ScRiPt ><img src=x onerror=window.hurt=1>",
    "<!--<script>window.hurt=1//-->",
    "<![CDATA[<script>window.hurt=1</script>]]>",
    "<svg onload=window.hurt=1>",
    "<svg><script>window.hurt=1</script></svg>",
    "<img src=http://127.0.0.1:9/x>",
    '<a href="javascript:window.hurt=1">q</a>',
    "<a href='https://127.0.0.1:9/'>q</a>",
    "<b onmouseover=window.hurt=1>b</b>",
    "<i style='background:url(http://127.0.0.1:9/i)'>i</i>",
    "<iframe srcdoc='<script>parent.hurt=1</script>'>",
    "<base href=http://127.0.0.1:9/>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "<form action=http://127.0.0.1:9/><input name=q>",
    "<link rel=stylesheet href=http://127.0.0.1:9/s.css>",
    "<style>*{display:none}</style>",
    "</style><style>*{display:none}</style>",
    "</title><script>window.hurt=1</script>",
    "</textarea><plaintext>",
    "<template><p>t</p></template>",
)
_BREAKERS = (
    '" onclick="window.hurt=1',
    "' onclick='window.hurt=1",
    "` ${window.hurt=1} `",
    '"};window.hurt=1;//',
    "\\u003cscript\\u003e",
    "\\",
    '\\"',
    "&lt;script&gt;window.hurt=1&lt;/script&gt;",
    "&#60;b&#62;b&#60;/b&#62;",
    "&amp;amp;",
    "&",
    "%{x} %{customdata[0]} %{hovertext}",
    "%{y:$.2f}<extra>e</extra>",
    "$\\alpha^2$",
    "$$\\href{javascript:window.hurt=1}{q}$$",
    "{{constructor.constructor('window.hurt=1')()}}",
    "<br><sup>s</sup><sub>s</sub>",
    "<span style='color:red'>s</span>",
    "javascript:window.hurt=1",
    "__proto__",
    "constructor",
)
_LETTERS = (
    "a\u2028b\u2029c",
    "a\u202eb",
    "\u2066\u2067a",
    "a\x00b",
    "a\nb\rc\td",
    "\x1b[31mred\x1b[0m",
    "\ufeffa",
    "\ufffe\uffff",
    "\ud800",
    "\udfff\ud800x",
    "á" * 40,
    "日本語の長い名前",
    "שלום <b>עולם</b>",
    "👩‍🔬🧪" * 8,
    "a" * 500,
    "Z̸̧͂a̵l̶g̷o̴" * 10,
    "\u200b\u200d",
)
_FORMULAS = (
    "=1+1",
    '=HYPERLINK("http://127.0.0.1:9/","q")',
    "+1",
    "-1+1",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "=cmd|' /C calc'!A0",
    "1,2;3",
    '"quoted",',
)
_SINGLE = (*_SCRIPTS, *_BREAKERS, *_LETTERS, *_FORMULAS)


def _two_hundred() -> tuple[str, ...]:
    """The single texts, then pairs of them, until there are two hundred different ones."""
    found = list(dict.fromkeys(_SINGLE))
    for step in range(1, len(_SINGLE)):
        for i, first in enumerate(_SINGLE):
            pair = first + _SINGLE[(i * 7 + step) % len(_SINGLE)]
            if pair not in found:
                found.append(pair)
            if len(found) == 200:
                return tuple(found)
    raise AssertionError("too few to combine")


HOSTILE = _two_hundred()

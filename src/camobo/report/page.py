"""One self-contained HTML page: markup that escapes by default, and a policy under which nothing can be fetched.

Everything a user typed enters as plain `str` and is escaped where it becomes `Html`; there is no other way in.

The policy (Content-Security-Policy) allows our two scripts and our style sheet by their hashes and nothing else: no
other script, no eval, no style attribute, no request. plotly.js runs under it: it needs no eval, sets styles through
the CSSOM, which a policy does not concern, and makes one empty <style> element for its rules, for which the hash of the
empty text is allowed. Pictures may come from data: and blob:, which is how a figure is saved as a file.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from camobo.plot.style import Spec, visible

_UNCLOSED = frozenset({"meta"})
_HEAD = 4096  # bytes of a page, in which its generator is told


class Html(str):
    """Markup that is safe as it is."""

    __slots__ = ()


Content = str | None


def tag(name: str, /, *children: Content, **attributes: str | bool | None) -> Html:
    """An element; children that are not `Html` are escaped, None is left out. `class_` is class, `data_x` data-x.

    >>> tag("p", "a < b", tag("b", "c"), class_='x"y')
    '<p class="x&quot;y">a &lt; b<b>c</b></p>'
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _UNCLOSED:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{join(*children)}</{name}>")


def join(*children: Content) -> Html:
    """Children one after the other, escaped where they are not `Html`."""
    return Html("".join(child if isinstance(child, Html) else escape(child) for child in children if child is not None))


def escape(text: str) -> Html:
    """Text as text, on one line, in any place of a document."""
    return Html(html.escape(visible(text), quote=True))


def typed(text: object) -> Html:
    """What a user typed, kept from turning the text around it: an isolated run."""
    return tag("bdi", str(text))


def as_json(given: Any) -> Html:
    """JSON that may stand inside a script element: ASCII only, and no letter that could end it or open a comment.

    >>> as_json({"a": "</script><!--\\u2028&"})
    '{"a":"\\\\u003c/script\\\\u003e\\\\u003c!--\\\\u2028\\\\u0026"}'
    """
    text = json.dumps(given, allow_nan=False, separators=(",", ":"))
    return Html(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def shared_hovers(figures: Sequence[Spec]) -> tuple[list[str], list[Spec]]:
    """What hovers say of trials, once each, and the figures with places in that list: trials recur in all of them.

    A hover becomes what stands before the trial and the trial's place: ["predicted 3 ± 1<br>", 17].
    """
    places: dict[str, int] = {}

    def split(text: str) -> list[str | int]:
        at = text.find("<br>trial ") + len("<br>")
        before = text[:at] if at >= len("<br>") else ""
        return [before, places.setdefault(text[len(before) :], len(places))]

    slim = []
    for spec in figures:
        data = []
        for trace in spec["data"]:
            texts = trace.get("hovertext")
            if texts is not None:
                trace = {**trace, "hovertext": [None if text is None else split(text) for text in texts]}
            data.append(trace)
        layout = {key: value for key, value in spec["layout"].items() if key != "title"}
        slim.append({"data": data, "layout": layout})
    return list(places), slim


def document(title: str, body: Html, figures: Sequence[Spec], plotly_js: str) -> str:
    """The page, whole."""
    css, boot = (files("camobo.report").joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    texts, slim = shared_hovers(figures)
    library = _inline_script(plotly_js)
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash(library)} {_hash(boot)}",
            f"style-src {_hash(css)} {_hash('')}",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        _GENERATOR,
        tag("title", title),
        tag("style", Html(css)),
    )
    data = tag("script", as_json({"texts": texts, "figures": slim}), type="application/json", id="figures")
    scripts = join(data, tag("script", Html(library)), tag("script", Html(boot)))
    whole = tag("html", head, tag("body", body, _stand_ins(library), scripts), lang="en")
    return f"<!doctype html>\n{whole}\n"


_GENERATOR = tag("meta", name="generator", content="camobo")


def is_report(path: str) -> bool:
    """Whether the file at a path is a page made here, by what stands in its head; False if it cannot be read."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            return _GENERATOR.encode() in file.read(_HEAD)
    except OSError:
        return False


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _inline_script(source: str) -> str:
    """A library's text as an inline script's: no line ends a browser would change, no end tag inside."""
    return source.replace("\r\n", "\n").replace("\r", "\n").replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _stand_ins(library: str) -> Html:
    """Elements with the ids plotly.js looks for before it adds the style sheets of its maps, so that it adds none.

    Nothing here draws a map, and the policy would refuse the sheets with an error on the console.
    """
    ids = dict.fromkeys(re.findall(r'getElementById\("([0-9a-f]{64})"\)', library))
    return join(*(tag("i", id=found, hidden=True) for found in ids))

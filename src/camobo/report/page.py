"""One self-contained HTML page: markup that is escaped by default, and a policy that blocks every request.

User text enters as plain `str` and is escaped where it becomes `Html`; there is no other way in.

The Content-Security-Policy allows our two scripts and our style sheet by their hashes and nothing else: no other
script, no eval, no style attribute, no request. plotly.js works under it: it needs no eval, sets styles through the
CSSOM, which the policy does not restrict, and creates one empty <style> element for its rules, for which the hash of
the empty text is allowed. Images may come from data: and blob:, which is how a figure is saved as a file.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
from collections.abc import Collection, Sequence
from importlib.resources import files
from typing import Any

from camobo.plot.style import Spec, visible

_UNCLOSED = frozenset({"meta"})
_HEAD = 4096  # bytes at the start of a page that contain its generator tag


class Html(str):
    """Markup that is already escaped."""

    __slots__ = ()


Content = str | None


def tag(name: str, /, *children: Content, **attributes: str | bool | None) -> Html:
    """An element. Children that are not `Html` are escaped, None is skipped; `class_` means class, `data_x` data-x.

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
    """Children joined; those that are not `Html` are escaped, None is skipped."""
    return Html("".join(child if isinstance(child, Html) else escape(child) for child in children if child is not None))


def escape(text: str) -> Html:
    """Text on one line, safe as content and as an attribute."""
    return Html(html.escape(visible(text), quote=True))


def user_text(text: object) -> Html:
    """User text in a <bdi> element: its writing direction does not affect the text around it."""
    return tag("bdi", str(text))


def as_json(given: Any) -> Html:
    """JSON for use inside a script element: ASCII only, without characters that could end it or open a comment.

    >>> as_json({"a": "</script><!--\\u2028&"})
    '{"a":"\\\\u003c/script\\\\u003e\\\\u003c!--\\\\u2028\\\\u0026"}'
    """
    text = json.dumps(given, allow_nan=False, separators=(",", ":"))
    return Html(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def shared_hovers(figures: Sequence[Spec], trial_texts: Collection[str]) -> tuple[list[str], list[Spec]]:
    """The distinct hover texts of trials, and the figures with indices into them: every figure repeats the trials.

    Each hover text becomes the lines before the trial's own, and the index of the trial's: ["predicted 3 ± 1<br>", 17].
    A text that does not end with one of `trial_texts` is stored whole.
    """
    known, indices = frozenset(trial_texts), dict[str, int]()

    def split(text: str) -> list[str | int]:
        starts = (line.start() for line in re.finditer("^|(?<=<br>)", text))
        at = next((start for start in starts if text[start:] in known), 0)
        return [text[:at], indices.setdefault(text[at:], len(indices))]

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
    return list(indices), slim


def document(
    title: str, body: Html, figures: Sequence[Spec], plotly_js: str, *, trial_texts: Collection[str] = ()
) -> str:
    """The whole page: title, body, figures and the script that draws them. `trial_texts` are stored only once."""
    css, boot = (files("camobo.report").joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    texts, slim = shared_hovers(figures, trial_texts)
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
    whole = tag("html", head, tag("body", body, _map_style_placeholders(library), scripts), lang="en")
    return f"<!doctype html>\n{whole}\n"


_GENERATOR = tag("meta", name="generator", content="camobo")


def is_report(path: str) -> bool:
    """Whether a file is a camobo report, by its generator tag; False if it cannot be read."""
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
    """A library as an inline script: line ends that browsers do not change, no end tag inside."""
    return source.replace("\r\n", "\n").replace("\r", "\n").replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _map_style_placeholders(library: str) -> Html:
    """Hidden elements with the ids of plotly.js's map style sheets, so that it does not add these.

    No figure draws a map, and the policy would block the style sheets with an error on the console.
    """
    ids = dict.fromkeys(re.findall(r'getElementById\("([0-9a-f]{64})"\)', library))
    return join(*(tag("i", id=found, hidden=True) for found in ids))

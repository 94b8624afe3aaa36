"""What a browser would find in an HTML page."""

from __future__ import annotations

from html.parser import HTMLParser


class Reader(HTMLParser):
    """The elements of a page with their attributes, and the text outside scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.text: list[str] = []
        self.comments: list[str] = []
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        {"script": self.scripts, "style": self.styles}.get(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        into = {"script": self.scripts, "style": self.styles}.get(self._inside)
        if into is None:
            self.text.append(data)
        else:
            into[-1] += data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    @property
    def whole_text(self) -> str:
        """All text, in one string."""
        return "".join(self.text)

    @property
    def policy(self) -> dict[str, list[str]]:
        """The Content-Security-Policy, by directive."""
        (meta,) = [a for t, a in self.elements if t == "meta" and a.get("http-equiv") == "Content-Security-Policy"]
        parts = [part.split() for part in (meta["content"] or "").split(";")]
        return {name: sources for name, *sources in parts}

"""A page taken apart by the standard library's parser, without running anything of it."""

from __future__ import annotations

from html.parser import HTMLParser

_RAW = {"script", "style"}


class Markup(HTMLParser):
    """`tags` in order with their attributes; `texts` between tags, without those of style and script."""

    def __init__(self, page: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.code: dict[str, str] = {}
        self._inside = ""
        self.feed(page.decode("utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside in _RAW:
            self.code[self._inside] = self.code.get(self._inside, "") + data
        elif data.strip():
            self.texts.append(data.strip())

    def values(self, attribute: str) -> list[str]:
        """All values of the attribute, in order."""
        return [attributes[attribute] or "" for _, attributes in self.tags if attribute in attributes]

    @property
    def names(self) -> list[str]:
        """The tags alone: the page's structure."""
        return [name for name, _ in self.tags]

    @property
    def text(self) -> str:
        """All that can be read, on lines."""
        return "\n".join(self.texts)

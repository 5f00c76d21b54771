"""Check the built site: every link within it leads somewhere, and no page asks another machine for anything.

Sphinx checks what is written in pages; this reads what browsers get, with what the theme and docstrings put there.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["find_faults", "main"]

_STYLE_ADDRESS = re.compile(r"""(?:url\(|@import)\s*["']?([^"')\s;]+)""")
_FOLLOWED = {("a", "href"), ("area", "href")}
"""Addresses that a browser asks for only when a reader clicks."""


class _Page(HTMLParser):
    """What a page can be linked by, and what it links to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.followed: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of the addresses and anchors of one element."""
        for name, value in attrs:
            if name == "id" or (tag, name) == ("a", "name"):
                self.anchors.add(value or "")
            elif name in ("href", "src", "action", "poster", "data"):
                (self.followed if (tag, name) in _FOLLOWED else self.loaded).append(value or "")
            elif name == "srcset":
                self.loaded += [part.split()[0] for part in (value or "").split(",") if part.strip()]
            elif name == "style":
                self.loaded += _STYLE_ADDRESS.findall(value or "")

    def handle_data(self, data: str) -> None:
        """Take note of the addresses in a style sheet that stands in the page."""
        if self.cdata_elem == "style":
            self.loaded += _STYLE_ADDRESS.findall(data)


def find_faults(site: Path) -> Iterator[str]:
    """Links that lead nowhere, and addresses of other machines that a page loads."""
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        yield from (f"{name} loads {address}" for address in page.loaded if _is_outside(address))
        for address in {*page.followed, *page.loaded}:
            if not _is_outside(address) and not _leads_somewhere(address, path, pages):
                yield f"{name} links to {address}, which is not there"
    for path in sorted(site.rglob("*.css")):
        for address in _STYLE_ADDRESS.findall(path.read_text(encoding="utf-8")):
            if _is_outside(address):
                yield f"{path.relative_to(site).as_posix()} loads {address}"


def _is_outside(address: str) -> bool:
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in ("", "data")


def _leads_somewhere(address: str, path: Path, pages: dict[Path, _Page]) -> bool:
    parts = urlsplit(address)
    if parts.scheme == "data":
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not parts.fragment or target not in pages:
        return target.is_file()
    return unquote(parts.fragment) in pages[target].anchors


def main(folder: str) -> int:
    """Print all faults of a built site; the exit code says whether there are any."""
    site = Path(folder).resolve()
    faults = list(find_faults(site))
    number = sum(1 for _ in site.rglob("*.html"))
    print("\n".join(faults) if faults or not number else f"links of {number} pages: ok")
    return 1 if faults or not number else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

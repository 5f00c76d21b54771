"""The navigation of the site: which page stands where. A new page finds its place without an edit here."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

__all__ = ["SECTIONS", "place_pages", "write_navigation"]

# Pages by name, in the order of reading; then patterns, which take all pages that nobody names, in the order of the alphabet.
SECTIONS = {
    "Start": ("quickstart",),
    "Guides": ("guide/mechanisms", "guide/priors", "guide/regression", "guide/scale", "guide/*"),
    "Explanations": ("guide/epsilon", "guide/intervals", "guide/impossible", "known-weaknesses", "*"),
    "Measured": ("utility", "structure", "performance", "reproduction"),
    "Proofs": (
        "paper-map",
        "guarantees",
        "proofs/counting",
        "proofs/noise",
        "proofs/ledger",
        "proofs/strategies",
        "proofs/mechanisms",
        "proofs/theorems",
        "proofs/*",
    ),
    "Library": (
        "reference/declare",
        "reference/records-and-budget",
        "reference/mechanisms",
        "reference/release",
        "reference/posteriors",
        "reference/answers",
        "reference/*",
    ),
    "Command": ("command", "reference/command-line"),
    "Files": ("network-file", "release-file"),
    "Develop": ("develop/contributing", "develop/map", "develop/*"),
}


def write_navigation(docs: Path) -> str:
    """The tables of contents that the side bar shows."""
    names = {path.relative_to(docs).with_suffix("").as_posix() for path in docs.rglob("*.md")} - {"index"}
    return "\n".join(line for caption, pages in place_pages(names).items() for line in _write_section(caption, pages))


def place_pages(names: set[str]) -> dict[str, list[str]]:
    """Each page once: where it is named, or else in the first section with a pattern for it."""
    named = {name for entries in SECTIONS.values() for name in entries if "*" not in name}
    gone = sorted(named - names)
    if gone:
        raise ValueError(f"There is no page {', '.join(gone)}. Take it out of SECTIONS in tools/website/navigation.py.")
    left = sorted(names - named)
    placed: dict[str, list[str]] = {}
    for caption, entries in SECTIONS.items():
        patterns = [entry for entry in entries if "*" in entry]
        taken = [name for name in left if any(_fits(name, pattern) for pattern in patterns)]
        left = [name for name in left if name not in taken]
        placed[caption] = [entry for entry in entries if "*" not in entry] + taken
    if left:
        raise ValueError(f"No section has room for {', '.join(left)}. Name it in SECTIONS of tools/website/navigation.py.")
    return placed


def _fits(name: str, pattern: str) -> bool:
    """Whether a pattern means a page: one of the same folder."""
    return name.count("/") == pattern.count("/") and fnmatchcase(name, pattern)


def _write_section(caption: str, pages: list[str]) -> Iterator[str]:
    yield from ("```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```", "")

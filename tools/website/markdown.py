"""Words of docstrings and of the command as Markdown: plain text, in which only double backticks mean something."""

from __future__ import annotations

import re

__all__ = ["cell", "join_lines", "plain"]

_CODE = re.compile(r"(``.+?``)")
_MEANT_BY_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~$^-])")


def plain(text: str) -> str:
    """Plain text, escaped wherever Markdown would take it for something else; code stays code."""
    parts = _CODE.split(text)
    return "".join(part if place % 2 else _MEANT_BY_MARKDOWN.sub(r"\\\1", part) for place, part in enumerate(parts))


def cell(text: str) -> str:
    """Plain text for a table, where a bar would end the cell even in code."""
    return re.sub(r"(?<!\\)\|", r"\|", plain(join_lines(text)))


def join_lines(text: str) -> str:
    """One line, without the indentation that a docstring needs."""
    return " ".join(text.split())

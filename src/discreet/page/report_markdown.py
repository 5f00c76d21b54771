"""A report as Markdown, for wikis and repositories. Names are escaped, so that none becomes a link, an image or HTML."""

from __future__ import annotations

import re

from discreet.display import printable
from discreet.page.report import Block, Facts, Graph, Lines, Report, Table

__all__ = ["write_markdown"]

_MARKS = re.compile(r"([\\`*_{}\[\]()#+!|~<>&$])")


def write_markdown(report: Report) -> str:
    """The whole text."""
    parts = [f"# {_text(report.title)}", *map(_text, report.lead)]
    for section in report.sections:
        parts += [f"## {_text(section.title)}", *map(_block, section.blocks)]
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    match block:
        case Facts(entries):
            return "\n".join(f"- **{_text(name)}**: {_text(fact)}" for name, fact in entries)
        case Lines(texts, True):
            return "\n".join(f"- {_words(each)}" for each in texts)
        case Lines(texts):
            return "\n\n".join(map(_words, texts))
        case Graph(network):
            arrows = [(node, parents) for node, parents in network.parents.items() if parents]
            return "\n".join(f"- {', '.join(map(_text, parents))} → {_text(node)}" for node, parents in arrows) or "No arrows."
        case Table():
            return _table(block)


def _table(table: Table) -> str:
    lines = [f"| {' | '.join(map(_text, row))} |" for row in (table.headings, *table.rows)]
    rule = ["---" if place < table.words else "---:" for place in range(len(table.headings))]
    caption = f"{_text(table.caption)}\n\n" if table.caption else ""
    return caption + "\n".join([lines[0], f"| {' | '.join(rule)} |", *lines[1:]])


def _words(text: str) -> str:
    """Code between backquotes stays code; its own text has none."""
    return "`".join(part if place % 2 else _text(part) for place, part in enumerate(text.split("`")))


def _text(text: str) -> str:
    return _MARKS.sub(r"\\\1", printable(text).replace("\n", " "))

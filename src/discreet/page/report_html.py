"""A report as one HTML file without script: nothing in it runs, loads or is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from discreet.display import printable
from discreet.page.document import policy, style
from discreet.page.layout import Box
from discreet.page.report import Block, Facts, Figure, Graph, Lines, Report, Section, Table

__all__ = ["write_html"]

_CODE = re.compile(r"`([^`]*)`")
_HEAD = (
    '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    '<path d="M0 1 7 4 0 7Z"/></marker>'
)
_LARGE = 16
"""Nodes of a graph that takes more than its part of a page."""
_ACROSS = 64
"""How wide a whisker is drawn."""
_LONGEST = 23
"""Letters of a name that fit into the box of a node."""


def write_html(report: Report) -> str:
    """The whole file."""
    css = style("report")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy(css)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{_text(report.title)} - a report</title>
<style>{css}</style>
</head>
<body>
<main>
<header><p class="brand">discreet</p>
<h1><bdi>{_text(report.title)}</bdi></h1>
{"".join(f"<p>{_text(each)}</p>" for each in report.lead)}</header>
{"".join(_section(section) for section in report.sections)}
</main>
</body>
</html>
"""


def _section(section: Section) -> str:
    return f"<section><h2>{_text(section.title)}</h2>\n{''.join(_blocks(section))}</section>\n"


def _blocks(section: Section) -> Iterator[str]:
    """Tables that follow one another stand side by side where there is room."""
    together: list[str] = []
    for block in section.blocks:
        if isinstance(block, Table):
            together.append(_table(block))
            continue
        if together:
            yield f'<div class="tables">{"".join(together)}</div>'
            together = []
        yield _block(block)
    if together:
        yield f'<div class="tables">{"".join(together)}</div>'


def _block(block: Block) -> str:
    match block:
        case Facts(entries):
            return f"<dl>{''.join(f'<div><dt>{_text(name)}</dt><dd>{_text(fact)}</dd></div>' for name, fact in entries)}</dl>"
        case Lines(texts, True):
            return f"<ul>{''.join(f'<li>{_words(each)}</li>' for each in texts)}</ul>"
        case Lines(texts):
            return "".join(f"<p>{_words(each)}</p>" for each in texts)
        case Graph():
            return _graph(block)
        case Table():
            return _table(block)


def _table(table: Table) -> str:
    caption = f"<caption>{_text(table.caption)}</caption>" if table.caption else ""

    def cells(row: tuple[str, ...], tag: str, first: int = 0) -> str:
        kinds = ["" if first + place < table.words else ' class="number"' for place in range(len(row))]
        return "".join(f"<{tag}{kind}><bdi>{_text(cell)}</bdi></{tag}>" for cell, kind in zip(row, kinds, strict=True))

    def line(row: Sequence[str], tag: str, drawn: str) -> str:
        return f"<tr>{cells(tuple(row[: table.words]), tag)}{drawn}{cells(tuple(row[table.words :]), tag, table.words)}</tr>\n"

    pictures = [f"<td>{_whisker(figure)}</td>" for figure in table.figures] or [""] * len(table.rows)
    heading = "<td></td>" if table.figures else ""
    body = "".join(line(row, "td", drawn) for row, drawn in zip(table.rows, pictures, strict=True))
    return f"<table>{caption}<thead>{line(table.headings, 'th', heading)}</thead><tbody>{body}</tbody></table>"


def _whisker(figure: Figure) -> str:
    """A bar with its interval: thick what sampling leaves open, thin what privacy adds. The numbers stand beside it."""
    across = _ACROSS * figure.probability
    parts = [f'<rect class="track" width="{_ACROSS}" height="9"/><rect class="fill" width="{across:.1f}" height="9"/>']
    if figure.lower is not None and figure.upper is not None and figure.lower < figure.upper:
        own = 1 - (figure.privacy or 0)
        ends = [across + (_ACROSS * end - across) * share for share in (1.0, own) for end in (figure.lower, figure.upper)]
        low, high, inner, outer = (f"{end:.1f}" for end in ends)
        parts.append(f'<path class="added" d="M{low} 4.5H{high}M{low} 2V7M{high} 2V7"/>')
        parts.append(f'<path class="sampling" d="M{inner} 4.5H{outer}"/>')
    return f'<svg class="whisker" width="{_ACROSS}" height="9" aria-hidden="true">{"".join(parts)}</svg>'


def _graph(graph: Graph) -> str:
    """A picture with the same said in words for who cannot see it."""
    layout = graph.layout
    said = "; ".join(f"{node} from {', '.join(parents)}" for node, parents in graph.network.parents.items() if parents)
    arrows = "".join(f'<path class="arrow" d="{path}" marker-end="url(#head)"/>' for _, _, path in layout.arrows)
    boxes = "".join(_box(node, box) for node, box in layout.boxes.items())
    wide, high = f"{layout.width + 8:.0f}", f"{layout.height + 8:.0f}"
    look = "large" if len(layout.boxes) > _LARGE else "small"
    size = f'class="{look}" viewBox="-4 -4 {wide} {high}" width="{wide}" height="{high}"'
    label = _text(f"Arrows: {said}." if said else "No arrows.")
    return f'<svg {size} role="img" aria-label="{label}"><defs>{_HEAD}</defs>{arrows}{boxes}</svg>'


def _box(node: str, box: Box) -> str:
    place = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
    middle = f'x="{box.x + box.width / 2:.1f}" y="{box.y + box.height / 2 + 4.5:.1f}"'
    return f'<g><title>{_text(node)}</title><rect {place} rx="5"/><text {middle}>{_text(_shorten(node))}</text></g>'


def _shorten(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _words(text: str) -> str:
    """Text in which code stands between backquotes."""
    return _CODE.sub(r"<code>\1</code>", _text(text))


def _text(text: str) -> str:
    return escape(printable(text))

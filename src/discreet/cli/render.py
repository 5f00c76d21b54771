"""What the command says: one JSON document or a table on stdout, remarks on stderr.

Names come from files, so nothing in them is obeyed.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from discreet.display import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = [
    "note",
    "print_facts",
    "print_json",
    "print_lines",
    "print_table",
    "prepare",
    "ready",
    "say",
    "write_text",
]

_UNLIMITED_WIDTH = 100_000


def say(message: str) -> None:
    """Print an error on stderr."""
    sys.stderr.write(f"discreet: {printable(message)}\n")


def note(message: str) -> None:
    """Print a remark on stderr."""
    sys.stderr.write(f"{printable(message)}\n")


def write_text(text: str) -> None:
    """Write to stdout as UTF-8, whatever the encoding of the terminal: this is for programs and files."""
    if sys.stdout is None:  # closed before the program began
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard output")
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    # A path may hold bytes that are no text; JSON reads the escape of such a character back.
    buffer.write(text.encode("utf-8", errors="backslashreplace"))


def print_json(document: Any) -> None:
    """Print one JSON document."""
    write_text(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def print_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: int = 0) -> None:
    """Print a table whose last ``numbers`` columns are aligned to the right."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, heading in enumerate(headings):
        right = place >= len(headings) - numbers
        table.add_column(_cell(heading), justify="right" if right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_cell(text) for text in row))
    if title:
        _console().print(_cell(title), soft_wrap=True)
    _print_trimmed(table)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines of text, broken between words where the terminal, or a page of a hundred columns, ends."""
    import textwrap

    console = _console()
    width = min(100, console.width)
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        sys.stdout.write(textwrap.fill(_cell(line), width, subsequent_indent=indent, drop_whitespace=True) + "\n")


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print names and what is true of them, one below the other."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(_cell(name), _cell(value))
    _print_trimmed(table)


def _print_trimmed(table: Table) -> None:
    """Print a table without the spaces and empty lines that Rich puts around it."""
    console = _console()
    with console.capture() as captured:
        console.print(table)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    while lines and not lines[0]:
        del lines[0]
    sys.stdout.write("\n".join(lines).rstrip() + "\n")


def _cell(text: str) -> str:
    return printable(text).replace("\n", "\\n")


def _console() -> Console:
    """Make a console that takes no word for markup. What is piped or redirected is as wide as it must be."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _UNLIMITED_WIDTH
    return Console(file=sys.stdout, width=width, markup=False, emoji=False, highlight=False)


B = TypeVar("B")


def prepare(posterior: B) -> B:
    """Where a posterior knows about noise, find what could be behind the release, with progress, unless that was kept."""
    run = getattr(posterior, "prepare", None)
    if run is not None:
        run()
    return posterior


def ready(posterior: B, *, advise: bool = True) -> B:
    """Prepare a posterior for something that all of it goes into, and say so where a part of it is rough.

    Without ``advise`` nothing is said about longer chains, where a command does not take them.
    """
    found = getattr(prepare(posterior), "diagnostics", None)
    if found is not None and not found.converged:
        note(
            f"Beware: the chains do not agree well on every parameter (R-hat {found.r_hat:.2f} at worst, "
            f"{found.typical_r_hat:.2f} typically); results may be rough."
        )
        advice = getattr(posterior, "advice", None)  # chains of lines run as long as they may already
        if advise and advice is not None:
            note(advice)
    return posterior

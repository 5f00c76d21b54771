"""What the command says: one JSON document or a table on stdout, remarks and progress on stderr.

Names come from files, so nothing in them is obeyed. Progress is for people only: it is shown where stderr is a terminal and
the work takes more than a second.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from discreet.display import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from discreet.inference.beliefs import Beliefs

__all__ = [
    "note",
    "print_facts",
    "print_json",
    "print_lines",
    "print_table",
    "prepare",
    "progress",
    "ready",
    "say",
    "write_text",
]

_UNLIMITED_WIDTH = 100_000
_PATIENCE_SECONDS = 1.0


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


def _nobody_watches(rows: int) -> None:
    del rows


@contextmanager
def progress(
    doing: str, total: Callable[[], int | None] = lambda: None, unit: str = "rows"
) -> Iterator[Callable[[int], None]]:
    """Show what is being done and, as far as the yielded function is told rows, how many, how fast and how much longer.

    ``total`` is asked for about how many rows (or whatever ``unit`` says) there are, only where somebody watches.
    """
    if not sys.stderr.isatty():
        yield _nobody_watches
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    expected = total()
    bar = (BarColumn(), TimeRemainingColumn()) if expected else ()
    columns = (SpinnerColumn(), TextColumn("{task.description}"), *bar, TextColumn("{task.fields[rows]}"))
    display = Progress(*columns, console=Console(stderr=True), transient=True)
    task = display.add_task(doing, total=expected, rows="")
    timer = threading.Timer(_PATIENCE_SECONDS, display.start)
    timer.daemon = True
    timer.start()

    def advance(rows: int) -> None:
        elapsed = display.tasks[0].elapsed or 0
        speed = f", {rows / elapsed:,.0f} {unit}/s" if elapsed and rows > elapsed else ""
        display.update(task, completed=rows, rows=f"{rows:,} {unit}{speed}")

    try:
        yield advance
    finally:
        timer.cancel()
        timer.join()  # it may be starting the display at this moment
        display.stop()


B = TypeVar("B", bound="Beliefs")


def prepare(posterior: B) -> B:
    """Where a posterior knows about noise, find the tables that could be behind the release, with progress."""
    from discreet.posterior import NoiseAwarePosterior

    if isinstance(posterior, NoiseAwarePosterior):
        with progress("Weighing the noise", lambda: posterior.effort.total, "rounds") as advance:
            posterior.prepare(advance)
    return posterior


def ready(posterior: B) -> B:
    """Prepare a posterior for something that all of it goes into, and say so where a part of it is rough."""
    from discreet.posterior import NoiseAwarePosterior

    prepare(posterior)
    if isinstance(posterior, NoiseAwarePosterior) and not posterior.diagnostics.converged:
        found = posterior.diagnostics
        note(
            f"Beware: the chains do not agree well on every probability (R-hat {found.r_hat:.2f} at worst, "
            f"{found.typical_r_hat:.2f} typically); results may be rough."
        )
    return posterior

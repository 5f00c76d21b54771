"""How far something is, for people only: shown on a terminal or in a notebook, where it takes more than a second."""

from __future__ import annotations

import builtins
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["progress"]

_PATIENCE_SECONDS = 1.0
_LINE_SECONDS = 0.2
_displays: list[Progress] = []
"""Bars of what is being done, each within the one before; only the last is shown."""


def progress(
    doing: str, total: Callable[[], int | None] = lambda: None, unit: str = "rows", *, wanted: bool = True
) -> AbstractContextManager[Callable[[int], None]]:
    """Show what is being done and, as far as the yielded function is told rows, how many, how fast and how much longer.

    ``total`` is asked for about how many rows (or whatever ``unit`` says) there are, only where somebody watches.
    """
    if wanted and sys.stderr is not None and sys.stderr.isatty():
        return _bar(doing, total(), unit)
    if wanted and _in_notebook():
        return _line(doing, total(), unit)
    return nullcontext(_nobody_watches)


def _nobody_watches(rows: int) -> None:
    del rows


def _in_notebook() -> bool:
    """Whether what goes to stderr is shown below a cell of a notebook. Who has no notebook never loads one."""
    return hasattr(getattr(builtins, "get_ipython", lambda: None)(), "kernel")


@contextmanager
def _bar(doing: str, expected: int | None, unit: str) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    bar = (BarColumn(), TimeRemainingColumn()) if expected else ()
    columns = (SpinnerColumn(), TextColumn("{task.description}"), *bar, TextColumn("{task.fields[rows]}"))
    display = Progress(*columns, console=Console(stderr=True), transient=True)
    task = display.add_task(doing, total=expected, rows="")
    timer = threading.Timer(_PATIENCE_SECONDS, _show, [display])
    timer.daemon = True
    outer = _displays[-1] if _displays else None
    waiting = outer is not None and outer.live.is_started
    if outer is not None:
        outer.stop()  # two bars would write over one another
    _displays.append(display)
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
        waiting = waiting or display.live.is_started
        display.stop()
        _displays.remove(display)
        if outer is not None and waiting:
            _show(outer)


def _show(display: Progress) -> None:
    """Show a bar, unless one within it is there."""
    if _displays and _displays[-1] is display:
        display.start()


@contextmanager
def _line(doing: str, expected: int | None, unit: str) -> Iterator[Callable[[int], None]]:
    """One line of plain text, written over and over and wiped out in the end: every notebook can show that."""
    due, width = time.monotonic() + _PATIENCE_SECONDS, 0

    def advance(rows: int) -> None:
        nonlocal due, width
        if time.monotonic() < due:
            return
        text = f"{doing}: {rows:,} of {expected:,} {unit}" if expected else f"{doing}: {rows:,} {unit}"
        sys.stderr.write(f"\r{text:<{width}}")
        sys.stderr.flush()
        due, width = time.monotonic() + _LINE_SECONDS, len(text)

    try:
        yield advance
    finally:
        if width:
            sys.stderr.write(f"\r{'':<{width}}\r")
            sys.stderr.flush()

"""Progress on stderr, for people only: shown where stderr is a terminal and the work takes more than a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress"]

_PATIENCE_SECONDS = 1.0


def _nobody_watches(rows: int) -> None:
    del rows


@contextmanager
def progress(doing: str) -> Iterator[Callable[[int], None]]:
    """Show what is being done and, as far as the yielded function is told rows, how many and how fast."""
    if not sys.stderr.isatty():
        yield _nobody_watches
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TextColumn("{task.fields[rows]}"), TimeElapsedColumn())
    display = Progress(*columns, console=Console(stderr=True), transient=True)
    task = display.add_task(doing, total=None, rows="")
    timer = threading.Timer(_PATIENCE_SECONDS, display.start)
    timer.daemon = True
    timer.start()

    def advance(rows: int) -> None:
        elapsed = display.tasks[0].elapsed or 0
        display.update(task, rows=f"{rows:,} rows, {rows / elapsed:,.0f} rows/s" if elapsed else f"{rows:,} rows")

    try:
        yield advance
    finally:
        timer.cancel()
        timer.join()  # it may be starting the display at this moment
        display.stop()

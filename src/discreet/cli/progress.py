"""Progress on stderr, for people only: shown where stderr is a terminal and the work takes more than a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from discreet.cli.render import note

if TYPE_CHECKING:
    from discreet.inference.beliefs import Beliefs

__all__ = ["progress", "ready"]

_PATIENCE_SECONDS = 1.0


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


def ready(posterior: B) -> B:
    """Where a posterior knows about noise, find the tables that could be behind the release, with progress."""
    from discreet.posterior import NoiseAwarePosterior

    if isinstance(posterior, NoiseAwarePosterior):
        with progress("Weighing the noise", lambda: posterior.effort.total, "rounds") as advance:
            posterior.prepare(advance)
        if not posterior.diagnostics.converged:
            note(f"Beware: the chains do not agree well (R-hat {posterior.diagnostics.r_hat:.2f}); results are rough.")
    return posterior

"""A simulation study: the same work for many repeats, on two cores, each repeat with a seed of its own.

Finished repeats are kept in a file as they come, so that an interrupted study loses nothing: the same command goes on where it
stopped. The order in which repeats finish has no influence on the result.

A study leaves behind means with standard errors, a table as CSV, and a page that says what was run. Random bits are
repeatable, the same seed, the same picture: they protect nobody.
"""

from __future__ import annotations

import csv
import io
import json
import multiprocessing
import os
import platform
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from discreet.output_file import write_atomically

__all__ = ["Average", "Outcome", "Row", "SeededBits", "Study", "averages", "markdown_table", "run", "write_csv", "write_page"]

Row: TypeAlias = list[Any]
Settings: TypeAlias = Mapping[str, Any]
_NAMED = ("discreet", "numpy", "scipy", "python-flint", "polars")


@dataclass(frozen=True, slots=True)
class Study:
    """What is to be done. ``work`` makes the rows of one repeat from the settings and the repeat's number alone."""

    name: str
    columns: tuple[str, ...]
    settings: Settings
    """All that decides the numbers, as JSON can carry it."""
    repeats: int
    work: Callable[[Settings, int], list[Row]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The rows of the finished repeats, in order of repeat."""

    study: Study
    done: int
    rows: tuple[Row, ...]

    @property
    def complete(self) -> bool:
        """Whether every repeat was finished."""
        return self.done == self.study.repeats

    @property
    def remark(self) -> str:
        """What a title must say of an interrupted study."""
        return "" if self.complete else f" (partial: {self.done} of {self.study.repeats} repeats)"

    @property
    def settings(self) -> dict[str, Any]:
        """What decided the numbers, and how many repeats there were."""
        return {**self.study.settings, "repeats": f"{self.done} of {self.study.repeats}"}


def run(study: Study, folder: Path, progress: Callable[[int], None] = lambda _: None, processes: int = 2) -> Outcome:
    """Do the repeats that are not done yet. When interrupted, return what there is; the next run goes on from there."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"{study.name}.partial.jsonl"
    finished = _read_finished(kept, study)
    progress(len(finished))
    missing = [repeat for repeat in range(study.repeats) if repeat not in finished]
    with kept.open("w", encoding="utf-8") as file:  # anew: the last line may have been cut off
        file.write("\n".join([_header(study), *(json.dumps(item) for item in finished.items())]) + "\n")
        file.flush()
        try:
            for repeat, rows in _results(study, missing, processes):
                file.write(json.dumps([repeat, rows]) + "\n")
                file.flush()
                finished[repeat] = rows
                progress(len(finished))
        except KeyboardInterrupt:
            pass  # what is finished is kept
    if len(finished) == study.repeats:
        kept.unlink()
    ordered = tuple(row for repeat in sorted(finished) for row in finished[repeat])
    return Outcome(study, len(finished), ordered)


def _header(study: Study) -> str:
    return json.dumps({"name": study.name, "columns": study.columns, "settings": study.settings}, sort_keys=True)


def _read_finished(kept: Path, study: Study) -> dict[int, list[Row]]:
    """Repeats of an interrupted run of the same study. A line that was cut off counts as not done."""
    if not kept.exists():
        return {}
    lines = kept.read_text(encoding="utf-8").split("\n")
    if lines[0] != _header(study):
        return {}
    finished: dict[int, list[Row]] = {}
    for line in lines[1:-1]:  # the last piece has no line end: it is empty, or was cut off
        repeat, rows = json.loads(line)
        if repeat < study.repeats:
            finished[repeat] = rows
    return finished


def _results(study: Study, repeats: Sequence[int], processes: int) -> Iterator[tuple[int, list[Row]]]:
    if processes == 1 or len(repeats) < 2:
        for repeat in repeats:
            yield repeat, study.work(study.settings, repeat)
        return
    # A fork would copy the locks of threads that a data frame library may have started.
    context = multiprocessing.get_context("spawn")
    with _single_threaded(), ProcessPoolExecutor(processes, mp_context=context, initializer=_leave_interrupts) as pool:
        futures = {pool.submit(study.work, study.settings, repeat): repeat for repeat in repeats}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BaseException:
            # Waiting here, because the end of the block asks once more, without cancelling, and might be heard first.
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process of the terminal; the one in charge ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _single_threaded() -> Iterator[None]:
    """One process a core: more threads in each would only get in one another's way."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)


@dataclass(frozen=True, slots=True)
class Average:
    """A mean over ``count`` repeats, with its standard error."""

    mean: float
    error: float
    count: int

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {self.error:.3f}"


def averages(rows: Iterable[Sequence[object]], keys: Sequence[int], value: int) -> dict[tuple[object, ...], Average]:
    """Average the column ``value`` over rows with equal entries in the columns ``keys``, in order of appearance."""
    grouped: dict[tuple[object, ...], list[float]] = {}
    for row in rows:
        if row[value] is not None:
            grouped.setdefault(tuple(row[key] for key in keys), []).append(float(str(row[value])))
    return {key: _average(np.array(values)) for key, values in grouped.items()}


def _average(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Average:
    count = len(values)
    return Average(float(values.mean()), float(values.std(ddof=1) / np.sqrt(count)) if count > 1 else 0.0, count)


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table; floats in the shortest spelling that reads back as the same number."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    write_atomically(path, text.getvalue())


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table as Markdown has it."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def write_page(path: Path, title: str, reading: str, body: str, settings: Mapping[str, Any], seconds: float) -> None:
    """Write the page: what is to be seen, the table, and how to get it again."""
    facts = [*settings.items(), ("duration", f"{seconds:.0f} s"), ("Python", platform.python_version()), *_versions()]
    run = markdown_table(("what", "value"), facts)
    write_atomically(path, f"# {title}\n\n{reading}\n\n{body}\n\n## What was run\n\n{run}\n")


def _versions() -> list[tuple[str, str]]:
    found = []
    for name in _NAMED:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:  # run from a folder that was never installed
            continue
    return found


class SeededBits:
    """Bytes of a seeded generator. A release made with them says so among its caveats."""

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator

    def read(self, count: int) -> bytes:
        """Return ``count`` bytes."""
        return self._generator.bytes(count)

"""What a reproduction leaves behind: a table as CSV, and a page that says what was run."""

from __future__ import annotations

import csv
import io
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from discreet.output_file import write_atomically

__all__ = ["markdown_table", "write_csv", "write_page"]

_NAMED = ("discreet", "numpy", "scipy", "python-flint", "polars")


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

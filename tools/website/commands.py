"""The page of the command: every command, argument and option, as its own `--help` tells them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer

from website.markdown import cell, join_lines, plain

__all__ = ["write_commands"]

_EXAMPLE = re.compile(r"^Example:\s+(.*)$", re.DOTALL)


def write_commands(app: typer.Typer) -> str:
    """All commands of an application as Markdown, in its order."""
    return "\n".join(_write_command(typer.main.get_command(app), "discreet", None))


def _write_command(command: Any, path: str, parent: Any) -> Iterator[str]:
    """A command, what it takes, and the commands below it. ``Any``: Typer keeps its own copy of Click."""
    context = command.make_context(path, [], parent=parent, resilient_parsing=True)
    yield f"## {path}\n"
    yield f"```text\n{path} {' '.join(command.collect_usage_pieces(context))}\n```\n"
    yield from _write_words(command.help or "")
    given = [param for param in command.get_params(context) if not getattr(param, "hidden", False)]
    for kind in ("argument", "option"):
        rows = [_write_param(param, context) for param in given if param.param_type_name == kind]
        if rows:
            yield "\n".join([f"| {kind} | |", "|---|---|", *rows, ""])
    yield from _write_words(command.epilog or "")
    for name, inner in getattr(command, "commands", {}).items():
        yield from _write_command(inner, f"{path} {name}", context)


def _write_words(text: str) -> Iterator[str]:
    """Paragraphs; an example is code."""
    for paragraph in filter(None, text.split("\n\n")):
        example = _EXAMPLE.match(paragraph.strip())
        yield f"Example:\n\n```text\n{join_lines(example[1])}\n```\n" if example else f"{plain(join_lines(paragraph))}\n"


def _write_param(param: Any, context: Any) -> str:
    """One row, of what `--help` says: the names with what to write after them, and what for."""
    names, told = param.get_help_record(context)
    return f"| {', '.join(f'`{name.strip()}`' for name in names.split(','))} | {cell(told)} |"

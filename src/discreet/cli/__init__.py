"""The command `discreet`: parse, one library call, render. Results on stdout, everything else on stderr.

Each command imports the library inside its function, so that `--help` and a wrong word are answered at once.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from copy import copy
from functools import lru_cache
from typing import Any

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code. No exception leaves it: a traceback could show private values."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        import typer

        _prepare_streams()
        command = _find_command(words[0] if words else "--help")
        code = 0
        try:
            with command.make_context("discreet", words or ["--help"]) as context:
                command.invoke(context)
        except typer.Exit as done:
            code = done.exit_code
        sys.stdout.flush()
    except BaseException as error:
        from discreet.cli.failures import explain

        return explain(error)
    return code


@lru_cache
def _find_command(word: str) -> Any:
    """The command that begins with this word. To read the options of all others takes longer than most of them run."""
    import typer

    from discreet.cli.app import app

    asked = copy(app)
    chosen = [each for each in app.registered_commands if each.callback is not None and each.callback.__name__ == word]
    if chosen:
        asked.registered_commands, asked.registered_groups = chosen, []
    return typer.main.get_group(asked)


def _prepare_streams() -> None:
    """Show a name that the terminal's encoding lacks escaped, instead of stopping."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")

"""The command `discreet`: parse, one library call, render. Results on stdout, everything else on stderr.

Each command imports the library inside its function, so that `--help` and a wrong word are answered at once.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code. No exception leaves it: a traceback could show private values."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        import typer

        from discreet.cli.app import app

        _prepare_streams()
        command = typer.main.get_command(app)
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


def _prepare_streams() -> None:
    """Show a name that the terminal's encoding lacks escaped, instead of stopping."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")

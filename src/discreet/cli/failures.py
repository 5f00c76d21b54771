"""What went wrong, in one line on stderr, and the exit code that says whose turn it is. Never a traceback unasked."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

import typer

from discreet.cli.render import say
from discreet.errors import BudgetError, DataError, DiscreetError, FormatError, LedgerError

__all__ = ["TRACEBACK", "explain", "spell"]

TRACEBACK = "DISCREET_TRACEBACK"
"""Environment variable: 1 shows the traceback of a defect, which may quote private values."""

# Typer carries its own copy of click, or uses the real one: the base class is found from what it exports.
_ClickException: type[Exception] = typer.BadParameter.__mro__[2]

_CODES: tuple[tuple[type[DiscreetError], int], ...] = (
    (BudgetError, 3),
    (DataError, 4),
    (FormatError, 5),
    (LedgerError, 5),
    (DiscreetError, 2),
)

_SPELLINGS = {
    'cap="1"': "--cap 1 of `discreet release`",
    "missing=...": "--missing LEVEL",
    'Csv(path, delimiter="tab")': "--delimiter tab",
    'Csv(path, delimiter=";")': "--delimiter ';'",
    'Csv(path, delimiter="|")': "--delimiter '|'",
    'Csv(path, delimiter=" ")': "--delimiter ' '",
    'Csv(path, delimiter=",")': "--delimiter ','",
    "delimiter=...": "--delimiter SIGN",
    'decimal=","': "--decimal ,",
    'rows_per_person="one"': "--rows-per-person one",
    'person="patient_id"': "--person COLUMN",
    "rows_at_most is for": "--rows-at-most is for",
    "Leave it out beside person.": "Leave it out beside --person.",
    "rows_at_most is how": "--rows-at-most is how",
    'encoding="latin-1"': "--encoding latin-1",
    'encoding="utf-16"': "--encoding utf-16",
    "Excel(path, sheet=...)": "--sheet NAME",
    "interval=None": "--interval none",
    "overwrite=True": "--force",
    "Leave prior=... out.": "Leave --prior out.",
    "read it with discreet.load(path); its value has the network.": "`discreet show` and `discreet query` read it.",
    "load it with discreet.load.": "`discreet show` and `discreet predict` read it.",
    "read_linear_model reads it.": "--model reads it.",
    "read_network reads networks.": "`discreet plan` and `discreet query` read networks.",
}
"""How the library names an argument in its advice -> how the command does."""


def explain(error: BaseException) -> int:
    """Print what a user needs to know about an exception, also what was charged before it, and return the exit code."""
    from discreet.kernel.publish import ChargeNote

    code = _explain(error)
    for words in getattr(error, "__notes__", ()):
        if isinstance(words, ChargeNote):  # the notes of others may quote a record
            say(words)
    return code


def _explain(error: BaseException) -> int:
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        say("interrupted.")
        return 130
    if isinstance(error, BrokenPipeError | SystemExit):  # Rich exits where its pipe breaks; nothing else here does
        return _quiet()
    if isinstance(error, DiscreetError):
        say(spell(str(error)))
        return next(code for kind, code in _CODES if isinstance(error, kind))
    if isinstance(error, _ClickException):
        return _explain_usage(error)
    if isinstance(error, OSError) and error.strerror:
        where = f"{str(error.filename)!r}: " if error.filename is not None else ""
        say(f"{where}{error.strerror}. Check the path, its permissions and the free space.")
        return 5
    if isinstance(error, MemoryError):
        say("not enough memory for this. Ask for fewer rows, nodes or draws at once.")
        return 1
    return _explain_defect(error)


def spell(message: str) -> str:
    """Advice of the library in the words of the command."""
    for library, command in _SPELLINGS.items():
        message = message.replace(library, command)
    return message


def _explain_usage(error: Exception) -> int:
    message = str(getattr(error, "format_message", error.__str__)())
    context = getattr(error, "ctx", None)
    if message.startswith("No such command") and "Did you mean" not in message and context is not None:
        message = f"{message} Commands: {', '.join(context.command.commands)}."
    if context is not None:
        message = f"{message}\nTry '{context.command_path} --help'."
    say(message)
    return 2


def _explain_defect(error: BaseException) -> int:
    # Only the type: the text of a foreign exception may quote a record.
    say(f"unexpected {type(error).__name__}. This is a defect of discreet: please report it, with the command you ran.")
    if os.environ.get(TRACEBACK) == "1":
        import traceback

        sys.stderr.write("".join(traceback.format_exception(error)))
    else:
        say(f"{TRACEBACK}=1 shows where it happened. Read that before you pass it on: it may show private values.")
    return 1


def _quiet() -> int:
    """Say nothing more on stdout, not even when Python exits: its reader went away, as `head` does."""
    with suppress(OSError, ValueError):  # stdout may be no file, as under a test
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141  # what a shell reports for a program that the pipe ended

"""Tables of records that a command is given as files, or on standard input, and how they are written."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.errors import FormatError

__all__ = ["Data", "Decimal", "Delimiter", "Encoding", "Records", "Sheet", "named_files", "table_of"]

_STDIN = "-"
_DATA_HELP = "Table of records: .csv, .tsv, .ndjson, .parquet, .arrow, .xlsx, .sav, .dta; or several, a folder, - for stdin."
Data = Annotated[list[Path], typer.Argument(metavar="DATA...", help=_DATA_HELP)]
Records = Annotated[list[Path] | None, typer.Argument(metavar="DATA...", show_default=False, help=_DATA_HELP)]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter", metavar="SIGN", show_default="comma", help="What separates the fields of DATA: ; or | or tab."
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", show_default="utf-8", help="Encoding of DATA, such as latin-1 or utf-16."),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        "--decimal", metavar="SIGN", show_default="point", help="Sign before the decimals of numbers in DATA: a comma."
    ),
]
Sheet = Annotated[str | None, typer.Option("--sheet", metavar="NAME", help="Sheet of the workbook DATA.")]


def table_of(
    data: Sequence[Path] | None, delimiter: str | None, encoding: str | None, decimal: str | None, sheet: str | None
) -> Any:
    """What the library is given: a path, several, or a value that says how text or a workbook is to be read."""
    from discreet.data import Csv, Excel

    written = {"delimiter": delimiter, "encoding": encoding, "decimal": decimal}
    said = {name: value for name, value in written.items() if value is not None}
    if not data:
        if said or sheet is not None:
            raise typer.BadParameter("--delimiter, --encoding, --decimal and --sheet are about DATA, which is not given.")
        return None
    if said and sheet is not None:
        raise typer.BadParameter("A workbook has no delimiter, encoding or decimal sign.", param_hint="--sheet")
    files: Any = data[0] if len(data) == 1 else list(data)
    if sheet is not None:
        return Excel(files, sheet)
    try:
        if str(files) == _STDIN:
            return Csv(sys.stdin.buffer, **said)
        return Csv(files, **said) if said else files
    except FormatError as error:  # a sign or an encoding that cannot be meant is wrong usage
        raise typer.BadParameter(str(error)) from None


def named_files(data: Sequence[Path] | None) -> tuple[Path, ...]:
    """The files among what was given, none of which may be written over."""
    return tuple(path for path in data or () if str(path) != _STDIN)

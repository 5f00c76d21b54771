"""`discreet sample`: synthetic records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.files import check_table_output, write_table
from discreet.cli.options import Force, PosteriorFile, Seed, whole
from discreet.cli.progress import progress, ready
from discreet.cli.render import note

__all__ = ["sample"]


def sample(
    file: PosteriorFile,
    rows: Annotated[int, typer.Option("--rows", metavar="N", parser=whole(1), help="Number of records to draw.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT", help="Table to write: .csv or .parquet; else CSV on stdout."),
    ] = None,
    seed: Seed = None,
    force: Force = False,
) -> None:
    """Draw synthetic records from a release, or from a network with probabilities. Costs no privacy budget.

    Example: discreet sample clinic.json --rows 1000 -o synthetic.csv
    """
    import numpy as np

    from discreet.release_file.document import read_posterior

    check_table_output(output, force=force, inputs=(file,))
    posterior = ready(read_posterior(file))
    with progress("Drawing"):
        frame = posterior.sample(rows, np.random.default_rng(seed))
    write_table(frame, output)
    if output is not None:
        note(f"{rows:,} synthetic records are in {output}.")

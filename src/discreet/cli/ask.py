"""What is asked of a release, all of it without budget: `discreet query`, `predict`, `sample` and `update`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.files import check_output, check_table_output, places, write_table
from discreet.cli.options import (
    AsJson,
    Force,
    HolderPrior,
    Interval,
    Missing,
    NoCache,
    Output,
    Plugin,
    PosteriorFile,
    ReleaseFile,
    Seed,
    check_not_swapped,
    make_prior,
    whole,
)
from discreet.cli.questions import Against, ArrowsAreCauses, Do, Given, check_declared, check_words, read_question
from discreet.cli.render import note, print_json, print_table, ready
from discreet.cli.rounds import Rounds, run_rounds
from discreet.cli.show import Request, view_of
from discreet.cli.tables import Data, Decimal, Delimiter, Encoding, Sheet, named_files, table_of
from discreet.display import listed
from discreet.progress import progress

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from discreet.inference.answer import Answer
    from discreet.inference.compare import Comparison
    from discreet.posterior import Posterior

__all__ = ["predict", "query", "sample", "update"]


def query(
    file: PosteriorFile,
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Node to ask for, or several, separated by commas.")],
    given: Given = None,
    do: Do = None,
    against: Against = None,
    arrows_are_causes: ArrowsAreCauses = False,
    table: Annotated[
        Path | None, typer.Option("--table", metavar="FILE", help="Ask for each row what its columns give; answers as CSV.")
    ] = None,
    interval: Interval = "0.9",
    draws: Annotated[int, typer.Option("--draws", metavar="N", parser=whole(1), help="Draws for the interval.")] = 1000,
    seed: Seed = None,
    plugin: Plugin = False,
    prior: HolderPrior = None,
    rounds: Rounds = None,
    as_json: AsJson = False,
    no_cache: NoCache = False,
) -> None:
    """Ask for the distribution of nodes given the levels of others, with a credible interval. Costs no privacy budget.

    --do sets nodes instead of seeing them: what would happen, where arrows are causes. --against compares two answers.

    Example: discreet query clinic.json lung --given smoke=yes
    """
    import numpy as np

    from discreet.release_file.document import read_posterior

    check_not_swapped(file, target)
    check_declared(file, do, arrows_are_causes=arrows_are_causes)
    found = read_posterior(file, plugin=plugin, prior=make_prior(prior), cache=not no_cache)
    posterior = run_rounds(found, rounds, whole=False)
    wanted = None if interval == "none" else float(interval)
    how: dict[str, Any] = {"arrows_are_causes": arrows_are_causes, "interval": wanted, "draws": draws}
    if table is not None:
        if given or do or against or as_json:
            raise typer.BadParameter("What is given stands in the table; the answers are a table, too.", param_hint="--table")
        chance = np.random.default_rng(seed)
        _print_answers(posterior.query_table(table, target, interval=wanted, draws=draws, generator=chance))
        return
    targets, known, made = read_question(posterior.network, target, given, do, against)
    check_words(posterior.network, targets, known, made, **how)  # a wrong word should not have to wait for the chain
    answer: Answer | Comparison
    with progress("Asking"):
        how["generator"] = None if seed is None else np.random.default_rng(seed)  # without a seed the answer may be a kept one
        answer = posterior.compare(targets, known, made, **how) if against else posterior.query(targets, known, do=made, **how)
    _print_answer(answer, len(targets), as_json)


def _print_answers(answers: pl.DataFrame) -> None:
    """A table of answers, and on stderr what its questions were about: a column that is misspelt is not among that."""
    known = [name for name in answers.columns if not name.startswith("P(")]
    note(f"Given in the table: {listed(known, 12) or 'nothing'}.")
    write_table(answers, None)


def _print_answer(answer: Answer | Comparison, targets: int, as_json: bool) -> None:
    if answer.caution is not None:
        note(f"Beware: {answer.caution}")
    if as_json:
        print_json(answer.to_dict())
        return
    headings, rows = answer.table()
    print_table(answer.title, headings, rows, numbers=len(headings) - targets)
    if answer.remark is not None:
        note(answer.remark)


def predict(
    file: PosteriorFile,
    data: Data,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    sheet: Sheet = None,
    target: Annotated[
        str | None, typer.Option("--target", metavar="NODE", help="Node to predict; a linear model knows its own.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT", help="Table to write: .csv or .parquet; else CSV on stdout."),
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Also give the probability of every level.")] = False,
    confidence: Annotated[
        Path | None,
        typer.Option("--confidence", metavar="FILE", help="Release of `discreet confidence`, to calibrate probabilities."),
    ] = None,
    plugin: Plugin = False,
    prior: HolderPrior = None,
    rounds: Rounds = None,
    force: Force = False,
    as_json: AsJson = False,
    no_cache: NoCache = False,
) -> None:
    """Predict a node for every record of a table, which may lack columns and values. Costs no privacy budget.

    With the release of a linear model: the expected target, and where the target of a new record will lie, if that is known.

    Example: discreet predict clinic.json new_patients.csv --target lung -o predicted.csv
    """
    from discreet.release_file.document import read_value

    table = table_of(data, delimiter, encoding, decimal, sheet)
    check_table_output(output, force=force, inputs=places(file, *named_files(data), confidence))
    if confidence is not None and (plugin or prior is not None or rounds is not None):
        raise typer.BadParameter("It is about predictions without --plugin, --prior and --rounds.", param_hint="--confidence")
    posterior = run_rounds(read_value(file, plugin=plugin, prior=make_prior(prior), cache=not no_cache), rounds)
    asked = Request(file, table, target, proba, confidence, output, cache=not no_cache)
    frame, document = view_of(posterior).predict(posterior, asked)
    if output is not None or not as_json:
        write_table(frame, output)
    if output is not None:
        note(f"{frame.height:,} predictions are in {output}.")
    if as_json:
        print_json(document())


def sample(
    file: PosteriorFile,
    rows: Annotated[int, typer.Option("--rows", metavar="N", parser=whole(1), help="Number of records to draw.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT", help="Table to write: .csv or .parquet; else CSV on stdout."),
    ] = None,
    datasets: Annotated[
        int | None,
        typer.Option(
            "--datasets",
            metavar="M",
            parser=whole(2),
            help="So many sets of N records, numbered in a first column, to combine.",
        ),
    ] = None,
    seed: Seed = None,
    prior: HolderPrior = None,
    rounds: Rounds = None,
    force: Force = False,
    no_cache: NoCache = False,
) -> None:
    """Draw synthetic records from a release, or from a network with probabilities. Costs no privacy budget.

    Without --datasets they are drawn at the mean parameters: to look at, not to compute intervals from. With it each set has
    its own draw of the parameters: analyse each by itself, and combine the results by discreet.combine.

    Example: discreet sample clinic.json --rows 1000 -o synthetic.csv
    """
    import numpy as np

    from discreet.release_file.document import read_posterior

    check_table_output(output, force=force, inputs=(file,))
    posterior = ready(run_rounds(read_posterior(file, prior=make_prior(prior), cache=not no_cache), rounds))
    with progress("Drawing"):
        frame = _draw_sets(posterior, rows, datasets, np.random.default_rng(seed))
    write_table(frame, output)
    if output is not None:
        note(f"{frame.height:,} synthetic records are in {output}.")


def _draw_sets(posterior: Posterior, rows: int, datasets: int | None, generator: np.random.Generator) -> pl.DataFrame:
    """One set at the mean parameters, or several, one below the other."""
    import polars as pl

    if datasets is None:
        return posterior.sample(rows, generator)
    number = "dataset"
    while number in posterior.network.parents:
        number += "_"
    sets = posterior.synthetic(datasets, rows=rows, generator=generator)
    return pl.concat([each.select(pl.lit(place, pl.Int64).alias(number), pl.all()) for place, each in enumerate(sets, 1)])


def update(
    file: ReleaseFile,
    data: Data,
    output: Output,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    sheet: Sheet = None,
    missing: Missing = None,
    prior: HolderPrior = None,
    force: Force = False,
) -> None:
    """Add records of your own to a release, exactly and without protection. Costs no privacy budget of the steward.

    Example: discreet update clinic.json our_patients.csv -o updated.json
    """
    import discreet

    table = table_of(data, delimiter, encoding, decimal, sheet)
    check_output(output, force=force, inputs=named_files(data))
    release = discreet.load(file, prior=make_prior(prior))
    with progress("Counting") as advance:
        updated = release.update(table, missing=missing, progress=advance)
    updated.save(output, overwrite=force)
    note(f"The updated release is in {output}.")
    note(f"Beware: {updated.caveats[-1].text}")

"""What is asked of a release, all of it without budget: `discreet query`, `predict`, `sample` and `update`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from discreet.cli.render import note, prepare, print_json, print_table, ready
from discreet.cli.rounds import Rounds, run_rounds
from discreet.cli.show import Request, view_of
from discreet.cli.tables import Data, Decimal, Delimiter, Encoding, Sheet, named_files, table_of
from discreet.progress import progress

if TYPE_CHECKING:
    from discreet.model import Network

__all__ = ["predict", "query", "sample", "split_given", "split_targets", "update"]


def query(
    file: PosteriorFile,
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Node to ask for, or several, separated by commas.")],
    given: Annotated[
        list[str] | None, typer.Option("--given", metavar="NODE=LEVEL", help="What is known; repeat for several nodes.")
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

    Example: discreet query clinic.json lung --given smoke=yes
    """
    import numpy as np

    from discreet.inference.query import check_question
    from discreet.release_file.document import read_posterior

    check_not_swapped(file, target)
    posterior = run_rounds(read_posterior(file, plugin=plugin, prior=make_prior(prior), cache=not no_cache), rounds)
    targets, known = split_targets(target, posterior.network), split_given(given or (), posterior.network)
    wanted = None if interval == "none" else float(interval)
    check_question(posterior.network, targets, known, wanted, draws)  # a wrong word should not have to wait for the chain
    prepare(posterior)
    with progress("Asking"):
        answer = posterior.query(targets, known, interval=wanted, draws=draws, generator=np.random.default_rng(seed))
    if answer.caution is not None:
        note(f"Beware: {answer.caution}")
    if as_json:
        print_json(answer.to_dict())
        return
    headings, rows = answer.table()
    print_table(answer.title, headings, rows, numbers=len(headings) - len(targets))
    if answer.remark is not None:
        note(answer.remark)


def split_given(words: Iterable[str], network: Network) -> dict[str, str]:
    """Read ``node=level`` words. The longest node that has the level wins; what is unknown is left for the query to refuse."""
    given: dict[str, str] = {}
    for word in words:
        node, level = _split_pair(word, network)
        if node in given:
            raise typer.BadParameter(f"{node!r} is given twice; keep one.", param_hint="--given")
        given[node] = level
    return given


def split_targets(text: str, network: Network) -> list[str]:
    """Read nodes separated by commas."""
    parts = text.split(",")
    targets: list[str] = []
    start = 0
    while start < len(parts):
        ends = range(len(parts), start, -1)
        end = next((end for end in ends if _join(parts[start:end], network) in network.parents), start + 1)
        targets.append(_join(parts[start:end], network))
        start = end
    return targets


def _join(parts: list[str], network: Network) -> str:
    """Join words with the commas between them; spaces around them count only where a node is called so."""
    exact = ",".join(parts)
    return exact if exact in network.parents else exact.strip()


def _split_pair(word: str, network: Network) -> tuple[str, str]:
    node, separator, level = word.partition("=")
    if not separator:
        raise typer.BadParameter(f"{word!r} is not of the form node=level.", param_hint="--given")
    places = [place for place, character in enumerate(word) if character == "="]
    readings = [(word[:place], word[place + 1 :]) for place in reversed(places) if word[:place] in network.parents]
    for known, rest in readings:
        if rest in network.variable(known).levels:
            return known, rest
    return readings[0] if readings else (node, level)


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
    seed: Seed = None,
    prior: HolderPrior = None,
    rounds: Rounds = None,
    force: Force = False,
    no_cache: NoCache = False,
) -> None:
    """Draw synthetic records from a release, or from a network with probabilities. Costs no privacy budget.

    Example: discreet sample clinic.json --rows 1000 -o synthetic.csv
    """
    import numpy as np

    from discreet.release_file.document import read_posterior

    check_table_output(output, force=force, inputs=(file,))
    posterior = ready(run_rounds(read_posterior(file, prior=make_prior(prior), cache=not no_cache), rounds))
    with progress("Drawing"):
        frame = posterior.sample(rows, np.random.default_rng(seed))
    write_table(frame, output)
    if output is not None:
        note(f"{rows:,} synthetic records are in {output}.")


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

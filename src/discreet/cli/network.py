"""How the command shows networks: tables of probabilities, and predictions of the level of a node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from discreet.cli.confidence import check_about
from discreet.cli.render import note, prepare, print_json, print_table, ready
from discreet.cli.show import INTERVAL, Predicted, Request, View
from discreet.display import listed
from discreet.progress import progress

if TYPE_CHECKING:
    import polars as pl

    from discreet.posterior import Posterior

__all__ = ["NETWORK_VIEW"]

_DRAWS = 1000


def _show_node(posterior: Posterior, node: str, as_json: bool) -> None:
    parents = posterior.network.family(node).parents
    cells, remark = _cells(prepare(posterior), node), posterior.without_spread
    caution = _caution(posterior, node)
    if as_json:
        said: dict[str, Any] = {"interval": INTERVAL} if remark is None else {"interval": None, "remark": remark}
        said |= {} if caution is None else {"caution": caution}
        print_json({"node": node, "parents": list(parents), **said, "table": cells})
        return
    combinations = product(*(posterior.network.variable(each).shown_levels for each in (*parents, node)))
    rows = [(*levels, *_words(cell)) for levels, cell in zip(combinations, cells, strict=True)]
    title = f"P({node} | {', '.join(parents)})" if parents else f"P({node})"
    possible = ("probability", f"{100 * INTERVAL:.10g} % interval", "of it noise")
    headings = possible[: len(list(_words(cells[0])))]
    print_table(title, (*parents, node, *headings), rows, numbers=len(headings))
    if remark is not None:
        note(remark)


def _caution(posterior: Posterior, node: str) -> str | None:
    """Why the table cannot be relied on, where it cannot: said on stderr, whoever reads the table."""
    from discreet.posterior import NoiseAwarePosterior

    caution = posterior.doubt_of_table(node) if isinstance(posterior, NoiseAwarePosterior) else None
    if caution is not None:
        note(f"Beware: {caution}")
    return caution


def _words(cell: dict[str, Any]) -> Iterator[str]:
    """A probability, its interval and how much of that is noise, as far as there are any."""
    yield f"{cell['mean']:.4f}"
    if cell["lower"] is not None:
        yield f"{cell['lower']:.4f} to {cell['upper']:.4f}"
    if "noise" in cell:
        yield f"{cell['noise']:.0%}"


def _cells(posterior: Posterior, node: str) -> list[dict[str, Any]]:
    from discreet.posterior import NoiseAwarePosterior

    network = posterior.network
    family = network.family(node)
    mean, ends = posterior.mean(node), _interval(posterior, node)
    noise = posterior.noise_share(node) if isinstance(posterior, NoiseAwarePosterior) else None
    configurations = product(*(network.variable(parent).levels for parent in family.parents))
    return [
        {
            "given": dict(zip(family.parents, configuration, strict=True)),
            "level": level,
            "mean": float(mean[row, column]),
            "lower": None if ends is None else float(ends[0][row, column]),
            "upper": None if ends is None else float(ends[1][row, column]),
            **({} if noise is None else {"noise": float(noise[row, column])}),
        }
        for row, configuration in enumerate(configurations)
        for column, level in enumerate(network.variable(node).levels)
    ]


def _interval(posterior: Posterior, node: str) -> Any:
    """In closed form where there is one, else from draws, the same ones every time; None where nothing has a spread."""
    import numpy as np

    from discreet.posterior import DirichletPosterior, NoiseAwarePosterior

    if posterior.without_spread is not None:
        return None
    if isinstance(posterior, DirichletPosterior | NoiseAwarePosterior):
        return posterior.interval(node, INTERVAL)
    tail = (1 - INTERVAL) / 2
    return np.quantile(posterior.draws(_DRAWS, np.random.default_rng(0))[node], [tail, 1 - tail], axis=0)


def _predict(posterior: Posterior, asked: Request) -> Predicted:
    from discreet.inference.own_records import encode_without

    calibrate = _calibrate(posterior, asked)
    if asked.target is None:
        raise typer.BadParameter("Say which node to predict: --target NODE.", param_hint="--target")
    target, levels = asked.target, posterior.network.variable(asked.target).levels
    first = next(
        encode_without(asked.data, posterior.network, target), None
    )  # what cannot be read must not wait for the chain
    if first is not None:
        _note_absent([node for node in posterior.network.nodes if node not in first and node != target])
    ready(posterior, advise=asked.confidence is None)
    with progress("Predicting"):
        probabilities = calibrate(posterior.predict_proba(asked.data, target))
    return _frame(target, levels, probabilities, asked.proba), lambda: _document(target, levels, probabilities, asked.output)


def _note_absent(nodes: list[str]) -> None:
    """A column that is misspelt looks like one that is not there, so those that are not are named."""
    if nodes:
        note(f"The table has no column for these nodes, which are summed over: {listed(nodes, most=12)}.")


def _calibrate(posterior: Posterior, asked: Request) -> Callable[[Any], Any]:
    """What to do with probabilities; a file that does not fit is told before anything is predicted."""
    import discreet
    from discreet.inference.calibration import calibrate, check_confidence
    from discreet.inference.confidence import check_target

    confidence, target = asked.confidence, asked.target
    if confidence is None or target is None:
        return lambda probabilities: probabilities
    check_target(posterior.network, target)
    made = discreet.load(confidence, cache=asked.cache)
    found = check_confidence(made.posterior)
    check_about(made, target, asked.file)
    ready(found, advise=False)
    return lambda probabilities: calibrate(probabilities, found)


def _frame(target: str, levels: tuple[str, ...], probabilities: Any, proba: bool) -> pl.DataFrame:
    """Put the predicted level under the name of the target and, if wanted, a column ``target=level`` for every level."""
    import polars as pl

    names = pl.Series(target, levels, dtype=pl.String)
    columns = [names.gather(probabilities.argmax(axis=1))]
    if proba:
        columns += [pl.Series(f"{target}={level}", probabilities[:, place]) for place, level in enumerate(levels)]
    return pl.DataFrame(columns)


def _document(target: str, levels: tuple[str, ...], probabilities: Any, output: Path | None) -> dict[str, Any]:
    head = {"target": target, "levels": list(levels), "rows": len(probabilities)}
    if output is not None:
        return {**head, "output": str(output)}
    chosen = [levels[place] for place in probabilities.argmax(axis=1)]
    return {**head, "predicted": chosen, "probabilities": probabilities.tolist()}


def _draw(posterior: Posterior, node: str | None) -> Any:
    from discreet.plots.axes import draw_forest, draw_network

    prepare(posterior)
    return draw_network(posterior, interval=INTERVAL) if node is None else draw_forest(posterior, node, interval=INTERVAL)


NETWORK_VIEW = View(
    show_node=_show_node,
    show_further=lambda _: None,  # the tables of nodes are shown one by one
    further=lambda _: {},
    predict=_predict,
    draw=_draw,
)

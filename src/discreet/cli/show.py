"""`discreet show`: what a release file holds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.options import AsJson, Plugin, ReleaseFile, check_not_swapped
from discreet.cli.posterior import ready
from discreet.cli.regression import is_regression, refuse_node, show_coefficients
from discreet.cli.render import note, print_facts, print_json, print_table, write_text
from discreet.cli.summary import summary

if TYPE_CHECKING:
    from discreet.posterior import Posterior, Release

__all__ = ["show"]

_INTERVAL = 0.9
_DRAWS = 1000


def show(
    file: ReleaseFile,
    node: Annotated[str | None, typer.Argument(metavar="NODE", help="Node whose probability table to show.")] = None,
    plugin: Plugin = False,
    as_json: AsJson = False,
) -> None:
    """Say what a release is and what to beware of; with a node, show its conditional probabilities.

    Of a linear model the coefficients are shown, in the units of the declaration.

    Example: discreet show clinic.json
    """
    import discreet

    check_not_swapped(file, node)
    release = discreet.load(file)
    if is_regression(release.value):
        _show_regression(release, node, as_json)
    elif node is not None:
        _show_node(_of_a_network(release.plugin if plugin else release.posterior), node, as_json)
    elif as_json:
        print_json(summary(release))
    else:
        _show_release(release)


def _show_regression(release: Release[Any], node: str | None, as_json: bool) -> None:
    refuse_node(node)
    if as_json:
        print_json({**summary(release), **release.value.summary(_INTERVAL).to_dict()})
        return
    _show_release(release)
    write_text("\n")
    show_coefficients(release.value, _INTERVAL)


def _show_release(release: Release[Any]) -> None:
    """Facts about the release, then what can be asked of it."""
    from discreet.posterior.facts import declared_rows, facts

    print_facts(facts(release))
    headings, rows = declared_rows(release.value)
    write_text("\n")
    print_table("", headings, rows)


def _of_a_network(value: object) -> Posterior:
    from discreet.posterior import Posterior

    if not isinstance(value, Posterior):
        raise typer.BadParameter("This release is not about a network and has no nodes.", param_hint="NODE")
    return value


def _show_node(posterior: Posterior, node: str, as_json: bool) -> None:
    parents = posterior.network.family(node).parents
    cells, remark = _cells(ready(posterior), node), posterior.without_spread
    if as_json:
        said = {"interval": _INTERVAL} if remark is None else {"interval": None, "remark": remark}
        print_json({"node": node, "parents": list(parents), **said, "table": cells})
        return
    rows = [(*cell["given"].values(), cell["level"], *_words(cell)) for cell in cells]
    title = f"P({node} | {', '.join(parents)})" if parents else f"P({node})"
    possible = ("probability", f"{100 * _INTERVAL:.10g} % interval", "of it noise")
    headings = possible[: len(list(_words(cells[0])))]
    print_table(title, (*parents, node, *headings), rows, numbers=len(headings))
    if remark is not None:
        note(remark)


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
        return posterior.interval(node, _INTERVAL)
    tail = (1 - _INTERVAL) / 2
    return np.quantile(posterior.draws(_DRAWS, np.random.default_rng(0))[node], [tail, 1 - tail], axis=0)

"""`discreet show`: what a release file holds."""

from __future__ import annotations

from itertools import product
from typing import Annotated, Any

import typer

from discreet.cli.options import AsJson, Plugin, ReleaseFile
from discreet.cli.posterior import ready_posterior
from discreet.cli.render import print_facts, print_json, print_table
from discreet.cli.summary import facts, summary

__all__ = ["show"]

_INTERVAL = 0.9


def show(
    file: ReleaseFile,
    node: Annotated[str | None, typer.Argument(metavar="NODE", help="Node whose probability table to show.")] = None,
    plugin: Plugin = False,
    as_json: AsJson = False,
) -> None:
    """Say what a release is and what to beware of; with a node, show its conditional probabilities.

    Example: discreet show clinic.json
    """
    import discreet

    if node is not None:
        _show_node(ready_posterior(file, plugin=plugin), node, as_json)
        return
    release = discreet.load(file)
    if as_json:
        print_json(summary(release))
    else:
        print_facts(facts(release))


def _show_node(posterior: Any, node: str, as_json: bool) -> None:
    parents = posterior.network.family(node).parents
    cells = _cells(posterior, node)
    if as_json:
        print_json({"node": node, "parents": list(parents), "interval": _INTERVAL, "table": cells})
        return
    split = "noise" in cells[0]
    rows = [
        (
            *cell["given"].values(),
            cell["level"],
            f"{cell['mean']:.4f}",
            f"{cell['lower']:.4f} to {cell['upper']:.4f}",
            *([f"{cell['noise']:.0%}"] if split else []),
        )
        for cell in cells
    ]
    title = f"P({node} | {', '.join(parents)})" if parents else f"P({node})"
    headings = ("probability", f"{100 * _INTERVAL:.10g} % interval", *(["of it noise"] if split else []))
    print_table(title, (*parents, node, *headings), rows, numbers=len(headings))


def _cells(posterior: Any, node: str) -> list[dict[str, Any]]:
    from discreet.posterior.noise_aware import NoiseAwarePosterior

    network = posterior.network
    family = network.family(node)
    mean, (lower, upper) = posterior.mean(node), posterior.interval(node, _INTERVAL)
    noise = posterior.noise_share(node) if isinstance(posterior, NoiseAwarePosterior) else None
    configurations = product(*(network.variable(parent).levels for parent in family.parents))
    return [
        {
            "given": dict(zip(family.parents, configuration, strict=True)),
            "level": level,
            "mean": float(mean[row, column]),
            "lower": float(lower[row, column]),
            "upper": float(upper[row, column]),
            **({} if noise is None else {"noise": float(noise[row, column])}),
        }
        for row, configuration in enumerate(configurations)
        for column, level in enumerate(network.variable(node).levels)
    ]

"""`discreet show`: what a release file holds.

For programs that is plain values. What is said beside that depends on the kind of model: each has a view.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from discreet.cli.files import check_output
from discreet.cli.options import AsJson, Force, HolderPrior, NoCache, Plugin, ReleaseFile, check_not_swapped, make_prior
from discreet.cli.render import note, print_facts, print_json, print_table, write_text
from discreet.cli.rounds import Rounds, run_rounds

if TYPE_CHECKING:
    from fractions import Fraction

    import polars as pl

    from discreet.guarantee import Guarantee, Receipt
    from discreet.releases import Release

__all__ = ["INTERVAL", "Predicted", "Request", "View", "promise", "show", "summary", "view_of"]

INTERVAL = 0.9
"""Credibility of the intervals that `show` gives."""
Predicted: TypeAlias = "tuple[pl.DataFrame, Callable[[], dict[str, Any]]]"
"""Predictions as a table, and how to make a document of plain values of them."""


def show(
    file: ReleaseFile,
    node: Annotated[str | None, typer.Argument(metavar="NODE", help="Node whose probability table to show.")] = None,
    plugin: Plugin = False,
    prior: HolderPrior = None,
    rounds: Rounds = None,
    registry: Annotated[
        Path | None,
        typer.Option("--registry", metavar="ENTRY", help="Write an entry for the registry of deployments (.yaml) as well."),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
    no_cache: NoCache = False,
) -> None:
    """Say what a release is and what to beware of; with a node, show its conditional probabilities.

    Of a linear model the coefficients are shown, in the units of the declaration. With --registry an entry of the Differential
    Privacy Deployments Registry is filled in as far as the file goes; what only the steward knows is marked TO FILL IN.

    Example: discreet show clinic.json
    """
    import discreet

    check_not_swapped(file, node)
    release = discreet.load(file, prior=make_prior(prior), cache=not no_cache)
    if registry is not None:
        _write_entry(release, registry, force=force, file=file)
    view = view_of(release.value)
    posterior = run_rounds(release.plugin if plugin else release.posterior, rounds)
    if node is not None:
        view.show_node(posterior, node, as_json)
    elif as_json:
        print_json({**summary(release), **view.further(release.posterior)})
    else:
        _show_release(release)
        view.show_further(release.posterior)


def _write_entry(release: Release[Any], registry: Path, *, force: bool, file: Path) -> None:
    from discreet.interop.registry_entry import write_registry_entry

    if registry.suffix.lower() not in (".yaml", ".yml"):
        raise typer.BadParameter("The name of an entry must end in .yaml.", param_hint="--registry")
    check_output(registry, force=force, inputs=(file,))
    left = write_registry_entry(release, registry, overwrite=force)
    note(f"The entry is in {registry}. {len(left)} of its fields are for you to fill in; they are marked TO FILL IN.")


def _show_release(release: Release[Any]) -> None:
    """Facts about the release, then what can be asked of it."""
    from discreet.release_file.facts import declared_rows, facts

    print_facts(facts(release))
    headings, rows = declared_rows(release.value)
    write_text("\n")
    print_table("", headings, rows)


@dataclass(frozen=True, slots=True)
class Request:
    """What `predict` was asked for."""

    file: Path
    data: Any
    target: str | None
    proba: bool
    confidence: Path | None
    output: Path | None
    cache: bool


@dataclass(frozen=True, slots=True)
class View:
    """What the command says about the posteriors of one kind of model, beside what it says about every release."""

    show_node: Callable[[Any, str, bool], None]
    """The table of one node, as JSON if wanted."""
    show_further: Callable[[Any], None]
    """What `show` prints below the facts and the declaration."""
    further: Callable[[Any], dict[str, Any]]
    """The same as plain values."""
    predict: Callable[[Any, Request], Predicted]
    draw: Callable[[Any, str | None], Any]
    """A picture of the posterior, or of one node of it: axes of matplotlib."""


def view_of(posterior: Any) -> View:
    """The view of the kind of model that a posterior is about."""
    from discreet.cli.linear import LINEAR_VIEW
    from discreet.cli.network import NETWORK_VIEW
    from discreet.model.declaration import LINEAR_MODELS, NETWORKS, ModelKind

    views: dict[ModelKind[Any], View] = {NETWORKS: NETWORK_VIEW, LINEAR_MODELS: LINEAR_VIEW}
    return views[posterior.model.kind]


def summary(release: Release[Any]) -> dict[str, Any]:
    """Describe the release without its tables, ready for JSON; budgets stay exact, as text."""
    from discreet.release_file.kinds import kind_of
    from discreet.release_file.units import unit_to_json

    return {
        "guarantee": promise(release.guarantee),
        "meaning": release.meaning,
        "remark": release.guarantee.remark,
        "neighbours": release.neighbours.value,
        **unit_to_json(release.unit),
        "mechanism": {"name": release.mechanism.name, "parameters": dict(release.mechanism.parameters)},
        **kind_of(release).describe(release.value),
        **release.value.model.kind.to_dict(release.value.model),
        **({"parts": [_part(part) for part in release.parts]} if release.parts else {}),
        "receipts": [_receipt(receipt) for receipt in release.receipts],
        "caveats": [{"name": caveat.name, "text": caveat.text} for caveat in release.caveats],
        "software": release.software,
    }


def _part(part: Release[Any]) -> dict[str, Any]:
    """One of the releases that a release was fused from: each person has the guarantee of the one with the records."""
    from discreet.release_file.document import release_to_json
    from discreet.release_file.units import unit_to_json

    made = {"name": part.mechanism.name, "parameters": dict(part.mechanism.parameters)}
    facts = {"rows": part.value.released.rows, "mechanism": made, "digest": release_to_json(part)["digest"]}
    return {"guarantee": promise(part.guarantee), **unit_to_json(part.unit), **facts}


def promise(guarantee: Guarantee) -> dict[str, str]:
    """The kind of a guarantee and its budgets, as decimals where these are exact."""
    from fractions import Fraction

    from discreet.guarantee import decimal
    from discreet.release_file.payment import guarantee_to_json

    kind, *budgets = guarantee_to_json(guarantee).items()
    return dict([kind, *((name, decimal(Fraction(value))) for name, value in budgets)])


def _receipt(receipt: Receipt) -> dict[str, Any]:
    from discreet.guarantee import decimal

    def text(value: Fraction | None) -> str | None:
        return None if value is None else decimal(value)

    return {
        "dataset": receipt.dataset,
        "number": receipt.number,
        "guarantee": promise(receipt.guarantee),
        "spent": text(receipt.spent),
        "cap": text(receipt.cap),
        "delta": text(receipt.delta),
        "remaining": None if receipt.cap is None or receipt.spent is None else decimal(receipt.cap - receipt.spent),
        "at": receipt.at,
    }

"""What a page knows: plain values that JSON can carry. Names are data here; the page never takes them for anything else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.chains.diagnostics import LARGEST_R_HAT, normal_scores
from discreet.display import printable
from discreet.errors import FormatError, QueryError
from discreet.inference.intervention import owner_of
from discreet.model.declaration import kind_of_model
from discreet.model.linear import LinearModel
from discreet.model.network import Network
from discreet.page.answers import INTERVAL
from discreet.page.draws import base64_text, draw_tables, pack_means, pack_tables
from discreet.page.layout import Layout, lay_out
from discreet.page.room import Room, find_room
from discreet.release_file.document import release_to_json
from discreet.release_file.facts import facts
from discreet.releases import Release

__all__ = ["about", "agreement_limit", "check_shown", "graph_part", "network_part", "payload", "subject", "warnings_of"]

_WIDTH, _HEAD, _ROW, _FOOT = 236.0, 34.0, 24.0, 8.0
"""Size of a monitor: across, of its title, of each level, and below. The style sheet has the same."""
_NAMED, _LONGEST = 4, 40
_MOST_SHOWN = 8
"""Levels of a monitor in the graph that are seen at a time; more are scrolled."""
_FEWEST_ROUNDS = 8
_LARGE_RATIO = 4.5
"""Of the variance between eight halves of chains to that within: chance makes it larger once in ten thousand times."""
_LEARNED = "The arrows of this network were learned from records: they say what goes with what, not what causes what."
_ASSUMED = "Nobody has declared the arrows of this network: naive Bayes was assumed, whose arrows are not causes."


def payload(release: Release[Any], file: str, posterior: Any = None) -> dict[str, Any]:
    """All that the page of a release is made of. ``file`` is how examples call the release file."""
    posterior = check_shown(release) if posterior is None else posterior
    further = network_part(posterior) if isinstance(posterior.model, Network) else _linear(posterior)
    said = {caveat.name for caveat in release.caveats}
    if "assumed-graph" in said:
        further["causes"] = _ASSUMED
    if further["kind"] == "network":
        further["fitted"] = "fitted-pairs" in said
    return {**about(release), "file": file, "interval": INTERVAL, **further, "warnings": warnings_of(release, posterior)}


def check_shown(release: Release[Any]) -> Any:
    """The posterior of a release of one network or one linear model; anything else is refused."""
    posterior = release.posterior
    if kind_of_model(getattr(posterior, "model", None)) is None:
        raise QueryError("Only the release of a network or of a linear model has a page; this is something made of releases.")
    return posterior


def about(release: Release[Any]) -> dict[str, Any]:
    """What is said of any release: guarantee, receipts, caveats and the rest in the order of their weight, and its digest."""
    try:
        digest = release_to_json(release)["digest"]
    except FormatError:  # a posterior that was changed so that no file can hold it
        digest = None
    said = [(name, printable(fact)) for name, fact in facts(release)]
    repeated = {place for place, fact in enumerate(said) if fact[0] != "receipt" and fact in said[:place]}
    return {
        "subject": subject(release.value.model),
        "lead": _lead(release.unit.noun, dict(said).get("persons" if release.unit.noun == "person" else "rows")),
        "guarantee": str(release.guarantee),
        "meaning": release.meaning,
        "facts": [list(fact) for place, fact in enumerate(said) if place not in repeated],
        "digest": digest,
    }


def _lead(noun: str, count: str | None) -> str:
    """In one sentence, for everybody."""
    if count is None:
        return "What private records say together, without saying whose they are."
    if noun == "person":
        return f"What the records of {count} persons say together, without saying who they are."
    return f"What {count} records say together, without saying whose they are."


def subject(model: Network | LinearModel) -> str:
    """What was released, in a few words."""
    if isinstance(model, Network):
        return _named(model.nodes)
    return f"{model.target.name} by {_named([column.name for column in model.features])}"


def _named(names: Sequence[str]) -> str:
    """The first names and how many there are beside; long ones shortened."""
    shown = [name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…" for name in names[:_NAMED]]
    return ", ".join(shown) + (f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else "")


def warnings_of(release: Release[Any], posterior: Any) -> list[str]:
    """Why intervals are missing, rough or too narrow."""
    found = [posterior.without_spread] if getattr(posterior, "without_spread", None) else []
    found += [caveat.text for caveat in release.caveats if caveat.name == "fitted-pairs"]
    diagnostics = getattr(posterior, "diagnostics", None)
    if diagnostics is not None and not diagnostics.converged:
        found.append(
            f"Some intervals are rough: the chains behind them do not agree on every parameter (R-hat {diagnostics.r_hat:.2f} "
            f"at worst, {diagnostics.typical_r_hat:.2f} typically). Each answer that is rough says so."
        )
    return found


def network_part(posterior: Any, count: int | None = None) -> dict[str, Any]:
    """What a page knows of a network: its graph, where it stands, and draws of its tables, of which ``count`` may be given."""
    network, room = posterior.network, find_room(posterior.network)
    draws = draw_tables(posterior, room.draws if count is None else count)
    return {
        "kind": "network",
        **graph_part(network, room),
        "outer": draws.outer,
        "inner": draws.inner,
        "means": pack_means(draws),
        "draws": pack_tables(draws),
        "agreement": _agreement(posterior, draws.outer),
    }


def graph_part(network: Network, room: Room) -> dict[str, Any]:
    """What a page knows of a network that needs no posterior: nodes, arrows, and what is declared of them."""
    layout = _lay_out_monitors(network, shown=0 if room.wide else _MOST_SHOWN)
    number = {node: place for place, node in enumerate(network.nodes)}
    boxes = (layout.boxes[node] for node in network.nodes)
    return {
        "nodes": [
            {
                "name": variable.name,
                "levels": list(variable.levels),
                "parents": [number[parent] for parent in network.parents[variable.name]],
                "box": [round(each, 1) for each in (box.x, box.y, box.width, box.height)],
            }
            for variable, box in zip(network.variables, boxes, strict=True)
        ],
        "arrows": [[number[parent], number[child], path] for parent, child, path in layout.arrows],
        "size": [round(layout.width, 1), round(layout.height, 1)],
        "order": [number[node] for node in room.order],
        "wide": room.wide,
        "causes": _LEARNED if network.learned else None,
        "impossible": [
            [
                number[owner_of(network, each)],
                [[number[node], network.level_index(node, level)] for node, level in each.items()],
            ]
            for each in network.impossible
        ],
    }


def agreement_limit(posterior: Any, outer: int) -> float | None:
    """The R-hat above which chains do not agree; None where draws are independent, or too few to tell."""
    rounds = outer // max(posterior.chains, 1)
    if posterior.chains < 2 or rounds < _FEWEST_ROUNDS:
        return None
    # Of few rounds chance alone makes R-hat large: its square is about 1 - 1/n + F/n, F near 1 where chains agree.
    half = rounds // 2
    return max(LARGEST_R_HAT, math.sqrt(1 - 1 / half + _LARGE_RATIO / half))


def _agreement(posterior: Any, outer: int) -> dict[str, Any] | None:
    """How a page finds out whether chains agree on an answer."""
    limit = agreement_limit(posterior, outer)
    if limit is None:
        return None
    half = outer // posterior.chains // 2
    scores = base64_text(normal_scores(2 * half * posterior.chains).astype("<f8"))
    return {"chains": posterior.chains, "limit": limit, "scores": scores, "advice": getattr(posterior, "advice", "")}


def _lay_out_monitors(network: Network, *, shown: int) -> Layout:
    """Where monitors stand that show so many levels at most."""
    heights = {each.name: _HEAD + (_FOOT + _ROW * min(shown, each.size) if shown else 0) for each in network.variables}
    return lay_out(network.parents, {node: (_WIDTH, height) for node, height in heights.items()})


def _linear(posterior: Any) -> dict[str, Any]:
    line, model = posterior.line(INTERVAL), posterior.model
    spreads = {each.name: each for each in posterior.spreads()} if hasattr(posterior, "spreads") else {}
    coefficients = []
    for each in posterior.summary(INTERVAL):
        spread = spreads.get(each.name)
        share = None if spread is None else spread.privacy**2 / max(spread.privacy**2 + spread.records**2, 1e-300)
        coefficients.append({**each.to_dict(), "privacy": share})
    return {
        "kind": "linear",
        "target": _column(model.target),
        "features": [_column(column) for column in model.features],
        "intercept": model.intercept,
        "coefficients": coefficients,
        "weights": line.mean.tolist(),
        "covariance": _matrix(line.covariance),
        "within": _matrix(line.within),
        "noise": None if np.isnan(line.noise) else line.noise,
        "quantile": line.quantile,
    }


def _column(column: Any) -> dict[str, Any]:
    return {"name": column.name, "low": column.low, "high": column.high}


def _matrix(values: Floats | None) -> str:
    return "" if values is None else base64_text(values.astype("<f8"))

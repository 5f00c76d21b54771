"""Draws of a posterior as an ``xarray.DataTree``, the form in which ArviZ and its kin read them. Needs xarray alone.

Dimensions are (chain, draw, levels of the parents ..., levels of the node), with the levels as coordinates. The dimension of a
node's levels is not called like the node, since a name is a variable or a dimension, never both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arrays import Floats
from discreet.checks import check_whole
from discreet.errors import QueryError
from discreet.version import __version__

if TYPE_CHECKING:
    from discreet.inference.beliefs import Beliefs, GeneratorLike
    from discreet.model.linear import LinearModel

__all__ = ["line_tree", "network_tree"]

_DEALT = 4
"""Chains that independent draws are dealt out to: R-hat needs several."""
_SAMPLE_DIMENSIONS = ("chain", "draw")


def network_tree(posterior: Beliefs, draws: int, chains: int | None, generator: GeneratorLike) -> Any:
    """Draws of all conditional probabilities of a network."""
    draws = check_whole(draws, "The number of draws")
    if posterior.without_spread is not None:
        raise QueryError(f"{posterior.without_spread} There are no draws to give.")
    released = getattr(posterior, "released_draws", None)
    available = 1 if released is not None else posterior.chains
    count = _number_of_chains(chains, available, dealt=available == 1 and released is None)
    if released is not None and draws > released:
        raise QueryError(f"Only {released:,} draws were released, and more cannot be made of them; ask for draws={released}.")
    drawn = posterior.draws(draws * max(count, available), generator)
    # The chains take turns: round after round, all chains.
    apart = {node: _by_chain(table, max(count, available))[:count] for node, table in drawn.items()}
    variables, dimensions = _variable_names(posterior.network.nodes), _dimension_names(posterior.network.nodes)
    found = {}
    for family in posterior.network.families:
        shape = (count, draws, *family.shape)
        axes = (*_SAMPLE_DIMENSIONS, *(dimensions[member] for member in family.members))
        found[variables[family.node]] = (axes, apart[family.node].reshape(shape), {"long_name": family.node})
    levels = {dimensions[each.name]: list(each.levels) for each in posterior.network.variables}
    return _tree(found, levels, count, draws, "independent draws, dealt out" if available == 1 else "Markov chains")


def line_tree(model: LinearModel, weights: Floats, draws: int, chains: int | None) -> Any:
    """Draws of the coefficients of a linear model, from rounds x chains x weights, evenly spread over the rounds."""
    rounds, available = weights.shape[:2]
    draws, count = check_whole(draws, "The number of draws"), _number_of_chains(chains, available, dealt=False)
    if draws > rounds:
        raise QueryError(f"There are {rounds:,} draws in each chain; ask for draws={rounds} at the most.")
    chosen = np.linspace(0, rounds - 1, draws).round().astype(np.int64)
    flat = model.to_units(weights[chosen][:, :count].reshape(-1, weights.shape[2]))
    values = flat.reshape(draws, count, -1).swapaxes(0, 1)
    found = {"coefficients": ((*_SAMPLE_DIMENSIONS, "coefficient"), values, {"long_name": "coefficients"})}
    origin = "released draws" if available == 1 else "Markov chains"
    return _tree(found, {"coefficient": list(model.coefficients)}, count, draws, origin)


def _number_of_chains(wanted: int | None, available: int, *, dealt: bool) -> int:
    """As many as are wanted, if there are so many; independent draws make as many as one likes."""
    if wanted is None:
        return _DEALT if dealt else available
    wanted = check_whole(wanted, "The number of chains")
    if wanted > available and not dealt:
        raise QueryError(f"The posterior has {available} chain(s), and no more can be made of them; ask for fewer.")
    return wanted


def _by_chain(table: Floats, chains: int) -> Floats:
    return np.moveaxis(table.reshape(-1, chains, *table.shape[1:]), 1, 0)


def _tree(variables: Mapping[str, Any], levels: Mapping[str, Any], chains: int, draws: int, origin: str) -> Any:
    import xarray as xr

    coordinates = {**levels, "chain": np.arange(chains), "draw": np.arange(draws)}
    attributes = {
        "inference_library": "discreet",
        "inference_library_version": __version__,
        "sample_dims": list(_SAMPLE_DIMENSIONS),
        "chains": origin,
    }
    posterior = xr.Dataset(dict(variables), coords=coordinates, attrs=attributes)
    tree = xr.DataTree.from_dict({"/posterior": posterior})
    tree.attrs |= attributes
    return tree


def _variable_names(nodes: Iterable[str]) -> dict[str, str]:
    """Names of the variables: those of the nodes, but for what a data tree keeps for itself."""
    taken = set(_SAMPLE_DIMENSIONS)
    found: dict[str, str] = {}
    for node in nodes:
        name = node.replace("/", "|")
        while name in taken:
            name = f"p_{name}"
        taken.add(name)
        found[node] = name
    return found


def _dimension_names(nodes: Iterable[str]) -> dict[str, str]:
    """Names of the dimensions, none of which is the name of a variable."""
    listed = list(nodes)
    taken = {*_variable_names(listed).values(), *_SAMPLE_DIMENSIONS}
    found: dict[str, str] = {}
    for node in listed:
        name = f"{node.replace('/', '|')}_level"
        while name in taken:
            name = f"{name}_"
        taken.add(name)
        found[node] = name
    return found

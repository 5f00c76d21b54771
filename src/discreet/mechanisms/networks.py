"""Networks, as a steward meets them: their mechanisms, and what a comparison of plans says about edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from discreet.mechanisms.auto import NOISE_MECHANISMS, Auto, noise_mechanisms
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.map_point import MapPoint
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.sampler import Sampler
from discreet.mechanisms.subject import Maker, Subject
from discreet.model.declaration import NETWORKS
from discreet.model.network import Network
from discreet.planning.plan import Plans
from discreet.planning.recommendation import edge_costs, recommend

__all__ = ["NETWORK_SUBJECT"]

_WORDS: Mapping[str, Maker] = {
    "auto": Auto,
    **NOISE_MECHANISMS,
    "sampler": lambda epsilon, _: Sampler(epsilon),
    "map": lambda epsilon, _: MapPoint(epsilon),
}
_LEGEND = """\
numbers: how many are released. scale: the largest scale of the noise. count error: mean absolute
noise of a count. at most: all counts together stay within this distance with probability 95 %.
prob. error: expected absolute error of a released conditional probability. worst node: the same
for the node that suffers most. Predicted from network, number of records and a uniform prior.
The recommendation goes by prob. error and, where those are within 2 %, by the noise it names."""


def _candidates(epsilon: Fraction, delta: Fraction | None) -> tuple[Mechanism[Network, Any], ...]:
    return (*noise_mechanisms(epsilon, delta), Sampler(epsilon), MapPoint(epsilon))


def _remark(plans: Plans, network: Network, rows: int, candidates: Sequence[Mechanism[Any, Any]]) -> Plans:
    """What edges cost, with the better of the two simple mechanisms."""
    simple = {each.name: each for each in candidates if isinstance(each, Laplace)}
    better = recommend([each for each in plans if each.mechanism in simple])
    chosen = simple[better.mechanism] if better is not None else next(iter(simple.values()))
    costs = edge_costs(network, rows, chosen.posterior_noise)
    return replace(plans, edges=costs, edges_of=chosen.name, legend=_LEGEND)


NETWORK_SUBJECT: Subject[Network] = Subject(NETWORKS, _WORDS, _candidates, _remark)

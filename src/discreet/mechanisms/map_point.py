"""The paper's fourth mechanism, made private: a point near the posterior's mode, with the log posterior as its score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.balls import ball
from discreet.checks import items_of
from discreet.errors import BudgetError, ModelError
from discreet.guarantee import BudgetLike, Neighbours, PureDP, Receipt, exact
from discreet.kernel import publish
from discreet.kernel.bits import Bits
from discreet.kernel.draws.finite_choice import LogWeights, choose, permute_and_flip
from discreet.kernel.draws.truncated_beta import draw_splits
from discreet.kernel.ledger import Ledger
from discreet.measure.strategies.draw_law import LEAST, MOST, DrawLaw, keeps
from discreet.measure.strategies.lipschitz import GRID_BITS, candidate_oscillation, exponent_for, floor_on_grid
from discreet.mechanisms.mechanism import CountMechanism, Explained
from discreet.mechanisms.prepared import Prepared
from discreet.mechanisms.split_shapes import TIMING, Base, blank_splits, check_size, prior_base, split_shapes
from discreet.model.network import Network
from discreet.model.prior import UNIFORM, Prior, check_fixed_prior
from discreet.model.probability import check_tables, levels_from_splits, splits
from discreet.planning.draw_error import draw_error, draw_parameter_error
from discreet.planning.plan import Plan
from discreet.posterior.point import ChosenPoint, GridPoint, PointPosterior
from discreet.release_file.networks import NUMBERS
from discreet.releases import MechanismRecord

if TYPE_CHECKING:
    from flint import arb

__all__ = ["MapPoint"]

_FLOORS = tuple(Fraction(1, 2**places) for places in range(2, 13))
_CANDIDATES = "candidates is a list of mappings from each node to its table: configurations x levels."
_MOST_LOGS = 500_000
"""Logarithms that scoring a list of candidates may take."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class MapPoint(Explained, CountMechanism[PointPosterior]):
    """One point, drawn with density proportional to posterior^temper: the larger epsilon, the nearer to the mode.

    Without ``candidates`` every split probability (for two levels: every probability) is in [floor, 1 - floor] and the
    temper is epsilon / oscillation; below 1 it tempers the posterior, above 1 it anneals it. With ``candidates``, a list of
    parameter tables that is public, one of them is chosen with probability proportional to posterior^temper, or by
    permute-and-flip. Levels that the network declares impossible are left out of the point after it was drawn: the oscillation
    over all records is no less than that over those that are possible. Candidates are for networks that declare none.

    Claim:      epsilon-differentially private under replace-one, with the number of records public. Proof: the log density is
                temper x log-likelihood plus what does not depend on the records; of neighbours it differs by g, which
                oscillates by at most temper x osc <= epsilon, and the normalised ratio is bounded by that. The paper's
                score, the posterior density itself, is not private.            [Paper, Algorithm 3, corrected; GUARANTEES 4.2]
    Requires:   graph, prior, floor and candidates do not depend on the records; n is public.
    Checked by: tests/audit/test_map_worlds.py::test_no_point_is_likelier_than_epsilon_allows
                tests/audit/test_map_worlds.py::test_no_candidate_is_likelier_than_epsilon_allows
    """

    epsilon: Fraction
    floor: Fraction | None
    candidates: tuple[Mapping[str, npt.ArrayLike], ...] | None = field(repr=False)
    permute_and_flip: bool

    def __init__(
        self,
        epsilon: BudgetLike,
        *,
        floor: BudgetLike | None = None,
        candidates: Sequence[Mapping[str, npt.ArrayLike]] | None = None,
        permute_and_flip: bool = False,
    ) -> None:
        object.__setattr__(self, "epsilon", exact(epsilon))
        object.__setattr__(self, "floor", None if floor is None else floor_on_grid(exact(floor, "floor")))
        object.__setattr__(self, "candidates", None if candidates is None else items_of(candidates, _CANDIDATES))
        object.__setattr__(self, "permute_and_flip", permute_and_flip)
        if type(permute_and_flip) is not bool or (permute_and_flip and candidates is None):
            raise ModelError("permute_and_flip is True or False, and chooses among candidates: give a list of them.")
        if candidates is not None and floor is not None:
            raise ModelError("Candidates need no floor; leave one of the two out.")
        if self.candidates is not None and len(self.candidates) < 2:
            raise ModelError("Give at least two candidates; one alone needs no data.")

    @property
    def name(self) -> str:
        """``map``, ``map-candidates`` or ``map-permute-and-flip``."""
        if self.candidates is None:
            return "map"
        return "map-permute-and-flip" if self.permute_and_flip else "map-candidates"

    @property
    def guarantee(self) -> PureDP:
        """Pure differential privacy with the given epsilon."""
        return PureDP(self.epsilon)

    def law(self, network: Network, rows: int) -> DrawLaw:
        """Floor and temper without candidates, from public quantities alone: the floor with the smallest predicted error."""
        floors = _FLOORS if self.floor is None else (self.floor,)
        laws = [DrawLaw(floor, exponent_for(network, self.epsilon, floor)) for floor in floors]
        return min(laws, key=lambda law: draw_error(network, rows, law))

    def plan(self, network: Network, rows: int, interval: float = 0.95) -> Plan:
        """What would be released and how wrong it would be, from public quantities alone.

        Claim:      ``parameter_error`` is predicted by simulation under the uniform prior.
        Requires:   rows >= 1.
        Checked by: tests/unit/planning/test_draw_error.py::test_the_prediction_is_what_happens
        """
        listed = self._checked(network, UNIFORM) is not None  # how far off the best candidate is, only the data know
        return Plan(
            mechanism=self.name,
            guarantee=self.guarantee,
            neighbours=Neighbours.REPLACE_ONE,
            rows=rows,
            released_numbers=1 if listed else network.parameters,
            interval=interval,
            parameter_error=None if listed else draw_parameter_error(network, rows, self.law(network, rows)),
        )

    def check(self, network: Network, prior: Prior = UNIFORM) -> None:
        """Refuse a network, a prior or candidates for which there is no such point."""
        self._checked(network, prior)

    def _prepare(
        self, counts: Mapping[str, Integers], network: Network, ledger: Ledger, prior: Prior, bits: Bits | None
    ) -> Prepared[Any, PointPosterior]:
        """How the point is charged for, drawn, and wrapped with all that must be said about it.

        Claim:      the result depends on the records only through the drawn point and the number of records.
        Requires:   ``counts`` are those of the whole data set under the ledger's name.
        Checked by: tests/audit/test_map_worlds.py::test_the_release_is_made_of_the_point_alone
        """
        tables = self._checked(network, prior)
        if tables is None:
            return self._prepare_draw(counts, network, ledger, prior, bits)
        return self._prepare_choice(counts, network, ledger, prior, bits, tables)

    def _checked(self, network: Network, prior: Prior) -> tuple[Mapping[str, Floats], ...] | None:
        """The candidates as tables. What cannot work must fail before the records are read."""
        check_fixed_prior(network, prior)
        if self.candidates is None:
            check_size(network, prior, 1)
            return None
        if network.impossible:
            raise ModelError(
                "Candidates need probabilities above zero, and this network declares combinations impossible. Leave the "
                "candidates out: a point that is drawn has the zeros."
            )
        if network.cells * len(self.candidates) > _MOST_LOGS:
            raise ModelError(f"Scoring these candidates takes more than {_MOST_LOGS:,} logarithms. Give fewer of them.")
        tables = tuple(check_tables(network, candidate) for candidate in self.candidates)
        if any(table.min() <= 0 for candidate in tables for table in candidate.values()):
            raise ModelError("Candidates need probabilities above zero: a record with probability zero would rule one out.")
        if candidate_oscillation(network, tables) == 0:
            raise ModelError("The candidates are all the same; give some that differ.")
        return tables

    def _prepare_draw(
        self, counts: Mapping[str, Integers], network: Network, ledger: Ledger, prior: Prior, bits: Bits | None
    ) -> Prepared[dict[str, Integers], PointPosterior]:
        """A point of the annealed posterior."""
        rows = int(counts[network.nodes[0]].sum())
        law = self.law(network, rows)
        if not keeps(law, network, prior, self.guarantee, 1):
            raise BudgetError("This floor costs more than epsilon; this is a defect of discreet.")
        shapes = split_shapes(counts, _annealed_base(network, prior, law.temper), law.temper)
        floor = int(law.floor * 2**GRID_BITS)

        def charge_and_draw() -> tuple[dict[str, Integers], Receipt]:
            draw = partial(draw_splits, shapes, floor, 1)
            return publish.charge_and_draw(draw, self.guarantee, ledger, self.name, _bits=bits)

        def make(drawn: dict[str, Integers]) -> PointPosterior:
            point = {node: table[0] for node, table in drawn.items()}
            made = {node: levels_from_splits(table / 2**GRID_BITS) for node, table in point.items()}
            return PointPosterior(network, made, GridPoint(point, law.floor, law.temper, prior, rows))

        blank = blank_splits(network, 1, floor)
        return Prepared(self._record, self.guarantee, ledger, charge_and_draw, make, blank, bits, (TIMING,))

    def _prepare_choice(
        self,
        counts: Mapping[str, Integers],
        network: Network,
        ledger: Ledger,
        prior: Prior,
        bits: Bits | None,
        tables: Sequence[Mapping[str, Floats]],
    ) -> Prepared[int, PointPosterior]:
        """One of the candidates."""
        rows = int(counts[network.nodes[0]].sum())
        temper = self.epsilon / candidate_oscillation(network, tables)
        weights = _log_weights(counts, network, prior, tables, temper)
        chooser = permute_and_flip if self.permute_and_flip else choose

        def charge_and_draw() -> tuple[int, Receipt]:
            return publish.charge_and_draw(partial(chooser, weights), self.guarantee, ledger, self.name, _bits=bits)

        def make(index: int) -> PointPosterior:
            return PointPosterior(network, tables[index], ChosenPoint(len(tables), temper, prior, rows))

        longest = max(range(len(tables)), key=lambda place: len(str(NUMBERS.write(tables[place]))))
        return Prepared(self._record, self.guarantee, ledger, charge_and_draw, make, longest, bits, (TIMING,))

    @property
    def _record(self) -> MechanismRecord:
        return MechanismRecord(self.name, {"epsilon": str(self.epsilon)})


def _annealed_base(network: Network, prior: Prior, temper: Fraction) -> Base:
    """The prior's density of the levels, to the power of the temper, as Beta parameters: 1 + temper x sum of (a - 1)."""
    base, listed = {}, prior_base(network, prior)
    for family in network.families:
        rows = listed[family.node]
        sizes = [(split.middle - split.start, split.end - split.middle) for split in splits(family.levels)]
        base[family.node] = [
            [(1 + temper * (a - m), 1 + temper * (b - n)) for (a, b), (m, n) in zip(row, sizes, strict=True)] for row in rows
        ]
        if temper * max(max(pair) for row in rows for pair in row) > MOST:
            raise ModelError(
                f"The prior of {family.node!r} to this power is more than draws are made for. Choose a smaller epsilon."
            )
        if min(min(pair) for row in base[family.node] for pair in row) < LEAST:
            raise ModelError(
                f"The prior of {family.node!r} has its mode at zero, and this epsilon is large enough to go there. "
                "Use a prior whose parameters are at least 1."
            )
    return base


def _log_weights(
    counts: Mapping[str, Integers],
    network: Network,
    prior: Prior,
    tables: Sequence[Mapping[str, Floats]],
    temper: Fraction,
) -> LogWeights:
    """The temper times the log posterior density of each candidate, up to what all have in common."""
    powers = {
        family.node: [
            Fraction(weight) - 1 + count
            for weight, count in zip(
                prior.concentration(family).ravel().tolist(), counts[family.node].ravel().tolist(), strict=True
            )
        ]
        for family in network.families
    }

    def weights() -> list[arb]:
        found = []
        for candidate in tables:
            terms = [
                ball(power) * ball(Fraction(value)).log()
                for node, listed in powers.items()
                for power, value in zip(listed, candidate[node].ravel().tolist(), strict=True)
            ]
            found.append(ball(temper) * sum(terms[1:], terms[0]))
        return found

    return weights

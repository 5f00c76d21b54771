"""All pairs of columns through the kernel's door: Wishart noise for epsilon, Gaussian noise for rho."""

from __future__ import annotations

from collections.abc import Mapping

from discreet.arrays import Integers
from discreet.errors import BudgetError
from discreet.guarantee import ZCDP, PureDP
from discreet.kernel.noise.pairs import PairedColumns, PairGaussian, PairWishart
from discreet.kernel.publish import PrivateNumbers
from discreet.kernel.stages import Purse
from discreet.measure.laws import standard_deviation
from discreet.measure.learning import Stage
from discreet.measure.pairs import PairForm, PairMoments
from discreet.mechanisms.prepared import furthest
from discreet.mechanisms.publishing import round_to_persons
from discreet.model.files.strict_json import LARGEST_INTEGER

__all__ = ["publish_pairs"]


def publish_pairs(
    purse: Purse, numbers: Integers, sizes: Mapping[str, int], rows: int, parts: int, cost: PureDP | ZCDP
) -> Stage:
    """Measure all pairs under a charge that was made.

    Claim:      satisfies ``cost``, all of it used: the scale is the smallest that the law allows for it. Noise that could be
                too large for a file is refused, by public facts alone: so it is in a rehearsal, before anything is charged.
    Requires:   ``numbers`` are those of ``counts.pairs`` for these columns, in so many parts of persons.
    Checked by: tests/unit/mechanisms/test_pair_publishing.py::test_pairs_cost_exactly_what_is_paid
                tests/audit/test_pair_worlds.py::test_no_number_is_likelier_than_epsilon_allows
                tests/unit/mechanisms/test_pair_publishing.py::test_noise_that_no_file_holds_is_refused_before_the_charge
    """
    columns = PairedColumns(tuple(sizes.values()), rows, parts)
    law: PairWishart | PairGaussian
    if isinstance(cost, PureDP):
        scale, form = 2 * columns.length / cost.epsilon, PairForm.WISHART
        law = PairWishart(columns, scale)
    else:
        scale, form = columns.squared_change / (2 * cost.rho), PairForm.GAUSSIAN
        law = PairGaussian(columns, scale)
    _check_room(columns, law)
    noisy = purse.publish({"pairs": PrivateNumbers(numbers, law)}, cost)["pairs"]
    return Stage((), cost, PairMoments(dict(sizes), form, scale, rows, round_to_persons(noisy, parts)))


def _check_room(columns: PairedColumns, law: PairWishart | PairGaussian) -> None:
    """Refuse noise that could be larger than the numbers of a file: all but one draw in exp(60) are smaller than ``reach``."""
    squares = columns.squares
    if isinstance(law, PairWishart):
        reach = furthest(0, law.scale, len(squares))
    else:
        reach = furthest(0, standard_deviation(law.variance))
    if columns.rows * max(columns.levels) ** 2 + abs(reach) * max(squares) >= LARGEST_INTEGER:
        raise BudgetError("The noise of so many pairs would be too large for a release file. Choose a larger epsilon.")

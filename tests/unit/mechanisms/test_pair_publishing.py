"""All pairs go through the kernel's door, and cost exactly what is paid."""

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import BudgetError
from discreet.guarantee import ZCDP, PureDP
from discreet.kernel.noise.pairs import PairedColumns
from discreet.kernel.stages import Purse
from discreet.measure.pairs import PairMoments, pair_deviation
from discreet.mechanisms.pair_publishing import publish_pairs
from tests.support.bits import SeededBits


@pytest.mark.parametrize("cost", [PureDP("1/3"), ZCDP("1/70")])
def test_pairs_cost_exactly_what_is_paid(cost):
    purse = Purse(cost, SeededBits(1))
    stage = publish_pairs(purse, np.zeros(5, dtype=np.int64), {"a": 2, "b": 3}, 10, 1, cost)
    assert purse.left == 0
    assert stage.pairs.cost == (cost.epsilon if isinstance(cost, PureDP) else cost.rho)


def test_what_pairs_say_without_noise_is_what_was_counted():
    table = np.array([[30, 10, 5], [2, 8, 45]])
    from discreet.counts.pairs import pair_numbers

    numbers = pair_numbers({"a": table.sum(axis=1), "b": table.sum(axis=0)}, lambda _: table)
    stage = publish_pairs(Purse(PureDP("1000000"), SeededBits(1)), numbers, {"a": 2, "b": 3}, 100, 1, PureDP("1000000"))
    pairs = stage.pairs
    assert isinstance(pairs, PairMoments)
    np.testing.assert_allclose(pairs.margins["b"], table.sum(axis=0) / 100, atol=1e-4)
    np.testing.assert_allclose(pairs.pair("a", "b"), table / 100, atol=1e-4)
    np.testing.assert_allclose(pairs.pair("b", "a"), table.T / 100, atol=1e-4)


@pytest.mark.parametrize("cost", [PureDP("0.7"), ZCDP("0.02")])
def test_the_deviation_is_known_before_there_are_numbers(cost):
    levels = {"a": 2, "b": 3, "c": 1, "d": 4}
    numbers = np.zeros(len(PairedColumns(tuple(levels.values()), 10).places), dtype=np.int64)
    stage = publish_pairs(Purse(cost, SeededBits(1)), numbers, levels, 10, 1, cost)
    assert pair_deviation(tuple(levels.values()), cost) == pytest.approx(stage.pairs.deviation)


def test_noise_that_no_file_holds_is_refused_before_the_charge(tmp_path):
    """A scale that the kernel would take, but whose noise has numbers beyond 2^62 for contrasts of so many levels."""
    levels = [str(level) for level in range(300)]
    ledger = dc.Ledger(tmp_path / "ledger", "1")
    with pytest.raises(BudgetError, match="larger epsilon"):
        dc.learn(
            pl.DataFrame(dict.fromkeys("ab", levels)), [dc.Variable(name, levels) for name in "ab"],
            epsilon="1.1e-11", form="dag", ledger=ledger,
        )  # fmt: skip
    assert not ledger.history()

from fractions import Fraction

import polars as pl
import pytest
from support.bits import SeededBits

from discreet import FormatError, Laplace, Ledger, Network, Variable, release

NETWORK = Network([Variable("a", ["no", "yes"])])
DATA = pl.DataFrame({"a": ["yes", "no", "yes"]})


def made(epsilon="1", seed=1):
    return release(DATA, NETWORK, Laplace(epsilon), ledger=Ledger.unlimited(), _bits=SeededBits(seed))


def test_post_processing_keeps_the_guarantee():
    before = made()
    after = before.map(lambda posterior: posterior.mean("a").sum())
    assert after.value == pytest.approx(1)
    assert (after.guarantee, after.neighbours, after.caveats, after.receipts, after.mechanism) == (
        before.guarantee,
        before.neighbours,
        before.caveats,
        before.receipts,
        before.mechanism,
    )


def test_mapping_twice_is_mapping_once():
    def double(value):
        return value * 2

    mean = made().map(lambda posterior: posterior.mean("a")[0, 0])
    assert mean.map(double).map(double).value == mean.map(lambda value: double(double(value))).value


def test_composition_adds_guarantees_and_keeps_what_must_be_said():
    one, two = made("0.1"), made("0.2", 2)
    both = one.combine(two)
    assert both.guarantee.epsilon == Fraction(3, 10)
    assert both.value == (one.value, two.value)
    assert both.receipts == one.receipts + two.receipts
    assert set(both.caveats) == set(one.caveats) | set(two.caveats)
    assert len(both.caveats) == len(one.caveats)


def test_only_a_posterior_can_be_saved(tmp_path):
    with pytest.raises(FormatError, match="posterior"):
        made().map(lambda posterior: posterior.mean("a")).save(tmp_path / "x.json")
    with pytest.raises(FormatError, match="posterior"):
        made().combine(made()).save(tmp_path / "x.json")
    assert list(tmp_path.iterdir()) == []

"""Released tables that agree: the paper's consistency, as a property of everything that claims it."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bits import SeededBits
from support.networks import networks, records, table

from discreet import Fourier, Laplace, Ledger, release
from discreet.measure.published import Repair


def margin(cells, family, kept):
    axes = tuple(axis for axis, member in enumerate(family.members) if member not in kept)
    summed = cells.reshape(family.shape).sum(axis=axes)
    order = [member for member in family.members if member in kept]
    return np.transpose(summed, [order.index(member) for member in sorted(kept)])


def largest_disagreement(posterior):
    """Over all pairs of families and all their common nodes, the largest difference of margins."""
    worst = 0.0
    for one, two in combinations(posterior.network.families, 2):
        common = set(one.members) & set(two.members)
        for size in range(len(common) + 1):
            for kept in combinations(sorted(common), size):
                margins = [margin(posterior.released.update(family), family, set(kept)) for family in (one, two)]
                worst = max(worst, float(np.abs(margins[0] - margins[1]).max()))
    return worst


def fourier(epsilon):
    return Fourier(epsilon)


def consistent_laplace(epsilon):
    return Laplace(epsilon, tables="maximal", consistent=True)


@pytest.mark.parametrize(("mechanism", "levels"), [(fourier, 2), (consistent_laplace, 4)])
@given(data=st.data())
def test_released_tables_agree_on_every_common_margin(mechanism, levels, data):
    network = data.draw(networks(max_nodes=5, max_levels=levels))
    rows = data.draw(records(network))
    made = release(
        table(rows, network),
        network,
        mechanism(data.draw(st.sampled_from(["1/10", "1", "5"]))),
        ledger=Ledger.unlimited(),
        _bits=SeededBits(data.draw(st.integers(0, 2**16))),
    ).plugin
    assert largest_disagreement(made) <= 1e-6 * len(rows)
    for family in network.families:
        cells = made.released.update(family)
        assert (cells >= 0).all()
        assert cells.sum() == pytest.approx(len(rows))


@pytest.mark.parametrize("mechanism", [Laplace("1"), Laplace("1", tables="maximal")], ids=["all", "maximal"])
def test_independent_noise_does_not_agree(mechanism):
    """The planted fault that the detector must see: Algorithm 1's tables contradict one another."""
    from discreet import naive_bayes

    network = naive_bayes("y", ["a", "b"])
    rows = [{"y": "0", "a": "1", "b": "0"}] * 40
    made = release(table(rows, network), network, mechanism, ledger=Ledger.unlimited(), _bits=SeededBits(1)).plugin
    assert largest_disagreement(made) > 1


@pytest.mark.parametrize("repair", [Repair.INCREMENT, Repair.CLAMP])
def test_the_other_repairs_are_never_negative(repair):
    from discreet import naive_bayes

    network = naive_bayes("y", ["a", "b", "c"])
    rows = [dict.fromkeys(network.nodes, "1")] * 10
    for seed in range(20):
        mechanism = Fourier("1/2", repair=repair)
        made = release(table(rows, network), network, mechanism, ledger=Ledger.unlimited(), _bits=SeededBits(seed)).plugin
        assert all((made.released.update(family) >= 0).all() for family in network.families)
        assert all(math.isfinite(made.mean(node).sum()) for node in network.nodes)

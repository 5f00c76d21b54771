from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.bits import FailingBits, SeededBits
from support.files import check_loaded, check_schema, forged
from support.measurements import blocks_of
from support.networks import networks
from support.structures import WIDE, WIDE_DATA, even_data

from discreet import (
    UNIFORM,
    BudgetError,
    DirichletPosterior,
    FormatError,
    KNorm,
    Ledger,
    ModelError,
    Network,
    Variable,
    load,
    naive_bayes,
    release,
)
from discreet.counts import family_counts
from discreet.measure.blocks import Bundle, Group
from discreet.measure.measurement import fill, number_shape
from discreet.measure.published import Published
from discreet.measure.strategies.knorm import bundles_of, knorm_measurements

NETWORK = Network(
    [
        Variable("a", ["no", "yes"]),
        Variable("b", ["0", "1", "2"]),
        Variable("c", ["x", "y", "z", "w"]),
        Variable("d", list("01")),
        Variable("e", list("01")),
    ],
    {"b": ["a"], "c": ["b", "a"], "d": ["a"], "e": ["a", "b"]},
)
DATA = even_data(NETWORK)
HUGE = "1" + "0" * 25


def made(epsilon="1", seed=1, ledger=None, network=NETWORK, data=DATA):
    return release(data, network, KNorm(epsilon), ledger=ledger or Ledger.unlimited(), _bits=SeededBits(seed))


def test_what_is_saved_is_what_is_loaded(tmp_path):
    one = made("1/3")
    two = check_loaded(one, tmp_path / "x.json")
    assert bundles_of(one.plugin.released.measurements) == bundles_of(two.plugin.released.measurements)
    for node in NETWORK.nodes:
        np.testing.assert_array_equal(one.plugin.concentration(node), two.plugin.concentration(node))


@given(networks(max_nodes=4), st.integers(0, 2**20))
@settings(max_examples=15)
def test_every_network_can_be_saved_and_loaded(network, seed):
    data = pl.DataFrame({variable.name: [variable.levels[-1]] * 3 for variable in network.variables})
    one = made("1", seed, network=network, data=data)
    with TemporaryDirectory() as folder:
        one.save(Path(folder) / "x.json")
        two = load(Path(folder) / "x.json").plugin.released.measurements
    assert bundles_of(two) == bundles_of(one.plugin.released.measurements)
    for mine, other in zip(blocks_of(one.plugin.released.measurements), blocks_of(two), strict=True):
        for block, same in zip(mine, other, strict=True):
            np.testing.assert_array_equal(block, same)


def test_the_count_of_a_group_may_have_the_nodes_of_a_childs_table(tmp_path):
    """A group of parents a, b with its count beside the levels of b for each a: two measurements of one margin."""
    network = Network(
        [Variable("a", list("01")), Variable("b", list("012")), Variable("c", list("012"))], {"b": ["a"], "c": ["a", "b"]}
    )
    groups = (Group(("a",), (2,), True, ("b",), (3,)), Group(("a", "b"), (2, 3), True, ("c",), (3,)))
    asked = knorm_measurements([Bundle(groups, Fraction(1))])
    ones = [np.ones(number_shape(network, each), dtype=np.int64) for each in asked]
    released = Published(network, fill(asked, ones), 3)
    data = pl.DataFrame({node: ["0"] * 3 for node in network.nodes})
    one = replace(made("1", network=network, data=data), value=DirichletPosterior(network, UNIFORM, released))
    one.save(tmp_path / "x.json")
    again = load(tmp_path / "x.json").plugin.released
    assert bundles_of(again.measurements) == bundles_of(released.measurements)


def test_the_file_follows_the_published_schema():
    check_schema(made())


def test_an_enormous_epsilon_gives_the_exact_tables():
    posterior = made(HUGE).plugin
    exact = family_counts(DATA, NETWORK)
    for node in NETWORK.nodes:
        np.testing.assert_allclose(posterior.concentration(node) - 1, exact[node], atol=1e-6)


def test_tables_agree_sum_to_the_rows_and_are_never_negative():
    released = made("1/10", seed=4).plugin.released
    assert min(table.min() for table in released.fused.values()) < 0  # there is something to repair
    updates = {family.node: released.update(family).reshape(family.shape) for family in NETWORK.families}
    assert all(table.min() >= 0 for table in updates.values())
    assert all(table.sum() == pytest.approx(400) for table in updates.values())
    np.testing.assert_allclose(updates["c"].sum(axis=2).T, updates["b"], atol=1e-6)
    np.testing.assert_allclose(updates["e"].sum(axis=2), updates["b"], atol=1e-6)
    np.testing.assert_allclose(updates["d"].sum(axis=1), updates["a"], atol=1e-6)


def test_the_planned_error_is_the_error_that_happens():
    network = naive_bayes("y", [f"x{i}" for i in range(6)])
    data = pl.DataFrame({node: ["0", "1", "1", "0", "1"] for node in network.nodes})
    plan = KNorm("1").plan(network, 5)
    exact = made(HUGE, network=network, data=data).plugin.released.fused
    errors = []
    for seed in range(60):
        fused = made("1", seed, network=network, data=data).plugin.released.fused
        errors.append(np.concatenate([np.abs(fused[node] - exact[node]).ravel() for node in exact]))
    assert np.mean(errors) == pytest.approx(plan.expected_error, rel=0.12)
    assert 0.9 <= (np.max(errors, axis=1) <= plan.largest_error).mean() <= 1
    released = made("1", network=network, data=data).plugin.released
    assert plan.released_numbers == sum(each.published.size for each in released.measurements)
    assert plan.noise_scale == released.scale


def test_what_cannot_be_released_costs_nothing(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1")
    with pytest.raises(ModelError, match="parents"):
        release(WIDE_DATA, WIDE, KNorm("1"), ledger=ledger, _bits=FailingBits())
    with pytest.raises(BudgetError, match="larger epsilon"):
        release(DATA, NETWORK, KNorm("1e-30"), ledger=ledger, _bits=FailingBits())
    with pytest.raises(BudgetError):
        release(DATA, NETWORK, KNorm("2"), ledger=ledger, _bits=FailingBits())
    assert ledger.spent == 0


def group(statistics, place=0):
    return statistics["bundles"][0]["groups"][place]


FAULTS = {
    "another law": lambda s: s["noise"].update(law="discrete-laplace"),
    "a larger share": lambda s: s["bundles"][0].update(epsilon="1"),
    "a share of no kind": lambda s: s["bundles"][0].update(epsilon="-1"),
    "a bundle twice": lambda s: s["bundles"].append(s["bundles"][0]),
    "no bundle": lambda s: s["bundles"].clear(),
    "no group": lambda s: s["bundles"][0]["groups"].clear(),
    "a group too few": lambda s: s["bundles"][0]["groups"].pop(),
    "an unknown node": lambda s: group(s).update(children=["z"]),
    "a node that is no text": lambda s: group(s).update(parents=[1]),
    "parents that no node has": lambda s: group(s).update(parents=["d"]),
    "nodes in another order": lambda s: s["bundles"][-1]["groups"][-1]["parents"].reverse(),
    "counted without saying": lambda s: group(s).update(counted=1),
    "a row too few": lambda s: group(s)["blocks"].pop(),
    "a number too few": lambda s: group(s)["blocks"][0].pop(),
    "a float": lambda s: group(s)["blocks"][0].__setitem__(0, 1.5),
    "a number that is too large": lambda s: group(s)["blocks"][0].__setitem__(0, 2**62),
}


def measure_twice(statistics):
    """The first bundle once more; each has half of its share."""
    bundle = statistics["bundles"][0]
    bundle["epsilon"] = str(Fraction(bundle["epsilon"]) / 2)
    statistics["bundles"].append(bundle)


def leave_out(statistics):
    """All groups but the first, which gets the whole of epsilon."""
    first = {"epsilon": "1/2", "groups": statistics["bundles"][0]["groups"][:1]}
    statistics["bundles"] = [first]


@pytest.mark.parametrize("change", [measure_twice, leave_out])
def test_blocks_that_were_paid_for_but_are_not_those_of_the_network_are_refused(tmp_path, change):
    path = forged(made("1/2"), tmp_path / "x.json", lambda content: change(content["statistics"]))
    with pytest.raises(FormatError, match="not those of its network"):
        load(path)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_file_is_refused_even_with_a_fitting_digest(tmp_path, fault):
    path = forged(made("1/2"), tmp_path / "x.json", lambda content: FAULTS[fault](content["statistics"]))
    with pytest.raises(FormatError):
        load(path)


def test_a_file_of_another_mechanism_is_refused(tmp_path):
    path = forged(made("1/2"), tmp_path / "x.json", lambda content: content["mechanism"].update(name="laplace"))
    with pytest.raises(FormatError):
        load(path)


def test_a_file_with_noise_beyond_floats_is_refused(tmp_path):
    def shrink(content):
        tiny = Fraction(1, 10**500)
        for place in (content["guarantee"], content["receipts"][0]["guarantee"], content["mechanism"]["parameters"]):
            place["epsilon"] = str(tiny / 2)
        for bundle in content["statistics"]["bundles"]:
            bundle["epsilon"] = str(Fraction(bundle["epsilon"]) * tiny)

    with pytest.raises(FormatError, match="does not fit its guarantee"):
        load(forged(made("1/2"), tmp_path / "x.json", shrink))


def test_epsilon_is_exact():
    assert KNorm("0.1").epsilon == Fraction(1, 10)
    assert sum(bundle.epsilon for bundle in bundles_of(made("0.1").plugin.released.measurements)) == Fraction(1, 10)

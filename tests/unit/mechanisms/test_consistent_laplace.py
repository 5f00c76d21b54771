import json
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from support.bits import FailingBits, SeededBits
from support.files import SCHEMA, check_loaded, check_schema, content_of, forged
from support.measurements import scales_of, tables_of
from support.optional import need
from support.structures import MIXED, WIDE, WIDE_DATA, even_data

from discreet import FormatError, Laplace, Ledger, ModelError, load, naive_bayes, plan, release
from discreet.counts import family_counts
from discreet.measure.needs import fused_cell_noise
from discreet.mechanisms.laplace import Tables

NETWORK = MIXED
DATA = even_data(NETWORK)
HUGE = "1" + "0" * 25


def made(epsilon="1", seed=1, ledger=None, consistent=True):
    mechanism = Laplace(epsilon, tables="maximal", consistent=consistent)
    return release(DATA, NETWORK, mechanism, ledger=ledger or Ledger.unlimited(), _bits=SeededBits(seed))


@cache
def consistent_tables(seed):
    """The tables of one of many releases, which two tests look at."""
    return made(seed=seed).plugin.released


def test_the_default_is_the_papers():
    assert Laplace("1") == Laplace("1", tables="all", consistent=False)
    assert (Laplace("1").name, Laplace("1").tables) == ("laplace", Tables.ALL)
    assert Laplace("1", tables=Tables.MAXIMAL) == Laplace("1", tables="maximal")


def test_the_name_says_which_variant_it_is():
    assert Laplace("1", tables="maximal").name == "laplace-maximal"
    assert Laplace("1", tables="maximal", consistent=True).name == "laplace-consistent"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"consistent": True}, 'add tables="maximal"'),
        ({"tables": "all", "consistent": True}, 'add tables="maximal"'),
        ({"tables": "maximum"}, "Did you mean 'maximal'"),
        ({"tables": None}, "is not known"),
        ({"tables": "maximal", "consistent": "yes"}, "True or False"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, said):
    with pytest.raises(ModelError, match=said):
        Laplace("1", **options)


@pytest.mark.parametrize("consistent", [True, False])
def test_an_enormous_epsilon_gives_the_exact_tables(consistent):
    exact = family_counts(DATA, NETWORK)
    posterior = made(HUGE, consistent=consistent).plugin
    for node in NETWORK.nodes:
        np.testing.assert_allclose(posterior.concentration(node) - 1, exact[node], atol=1e-9)


def test_a_release_is_charged_once_for_all_tables(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1")
    one = made("2/5", ledger=ledger)
    assert ledger.spent == Fraction(2, 5)
    assert (one.guarantee.epsilon, len(one.receipts)) == (Fraction(2, 5), 1)
    assert {charge.purpose for charge in ledger.history()} == {"laplace-consistent"}


@pytest.mark.slow
def test_the_fused_tables_are_unbiased_with_the_predicted_variance():
    """Through the whole release, exact sampler included."""
    exact = family_counts(DATA, NETWORK)
    releases = [consistent_tables(seed) for seed in range(400)]
    predicted = {node: noise.cell for node, noise in fused_cell_noise(NETWORK, releases[0].measurements).items()}
    for family in NETWORK.maximal_families:
        errors = np.stack([each.fused[family.node] for each in releases]).reshape(400, -1) - exact[family.node].ravel()
        assert np.abs(errors.mean(axis=0)).max() < 5 * np.sqrt(predicted[family.node] / 400)
        assert (errors**2).mean() == pytest.approx(predicted[family.node], rel=0.15)


@pytest.mark.slow
def test_the_tables_are_nearer_to_the_truth_than_those_of_algorithm_1():
    exact = family_counts(DATA, NETWORK)

    def error(mechanism):
        total = 0.0
        for seed in range(30):
            posterior = release(DATA, NETWORK, mechanism, ledger=Ledger.unlimited(), _bits=SeededBits(seed)).plugin
            total += sum(float(((posterior.concentration(node) - 1 - exact[node]) ** 2).sum()) for node in NETWORK.nodes)
        return total

    fused, maximal = Laplace("1/5", tables="maximal", consistent=True), Laplace("1/5", tables="maximal")
    assert error(fused) < error(maximal) < error(Laplace("1/5"))


@pytest.mark.fast("True")
@pytest.mark.parametrize("consistent", [True, False])
def test_the_planned_error_is_the_error_that_happens(consistent):
    mechanism = Laplace("1", tables="maximal", consistent=consistent)
    planned = mechanism.plan(NETWORK, 400)
    assert planned.released_numbers == 24 + 6
    exact = family_counts(DATA, NETWORK)
    errors = []
    for seed in range(300):
        released = consistent_tables(seed) if consistent else made(seed=seed, consistent=False).plugin.released
        found = released.fused if consistent else tables_of(released)
        errors.append(np.concatenate([(found[node].ravel() - exact[node].ravel()) for node in found]))
    assert np.abs(errors).mean() == pytest.approx(planned.expected_error, rel=0.08)
    assert 0.9 <= (np.abs(errors).max(axis=1) <= planned.largest_error).mean() <= 0.99
    assert planned.noise_scale == released.scale == max(scales_of(released).values())


def test_the_plan_offers_it_and_is_reproducible():
    one, two = (plan(NETWORK, rows=400, epsilon="1")["laplace-consistent"] for _ in range(2))
    assert one == two
    assert one.expected_error < plan(NETWORK, rows=400, epsilon="1")["laplace"].expected_error


def test_the_plan_knows_what_fusion_is_worth():
    """Tables that share a class: fusing halves the variance of their cells and more."""
    network = naive_bayes("y", [f"x{i}" for i in range(8)])
    fused, alone = (Laplace("1", tables="maximal", consistent=each).plan(network, 400) for each in (True, False))
    assert 0.6 * alone.expected_error < fused.expected_error < 0.8 * alone.expected_error
    assert fused.largest_error < alone.largest_error


def test_a_family_that_is_too_wide_costs_nothing(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1")
    with pytest.raises(ModelError, match="parents"):
        release(WIDE_DATA, WIDE, Laplace("1", tables="maximal", consistent=True), ledger=ledger, _bits=FailingBits())
    assert ledger.spent == 0


@pytest.mark.parametrize("consistent", [True, False])
@pytest.mark.parametrize("epsilon", ["1/2", "1e35", "1" * 59 + "/" + "1" + "0" * 58])
def test_what_is_saved_is_what_is_loaded(tmp_path, consistent, epsilon):
    one = made(epsilon, consistent=consistent)
    two = check_loaded(one, tmp_path / "x.json")
    assert scales_of(one.plugin.released) == scales_of(two.plugin.released)
    for node in NETWORK.nodes:
        np.testing.assert_array_equal(one.plugin.concentration(node), two.plugin.concentration(node))


def test_the_file_follows_the_published_schema():
    check_schema(made())
    saved = content_of(made())
    validator = need("jsonschema").Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))
    assert not validator.is_valid({**saved, "statistics": {**saved["statistics"], "consistent": "yes"}})


def scaled(statistics, factor):
    scales = statistics["noise"]["scales"]
    scales.update({node: str(Fraction(scale) * factor) for node, scale in scales.items()})


def share_evenly(statistics):
    """Another split of the same epsilon."""
    scales = statistics["noise"]["scales"]
    epsilon = sum(2 / Fraction(scale) for scale in scales.values())
    statistics["noise"]["scales"] = dict.fromkeys(scales, str(2 * len(scales) / epsilon))


FAULTS = {
    "shares that sum to epsilon but are not those of the network": share_evenly,
    "scales for half the sensitivity": lambda s: scaled(s, Fraction(1, 2)),
    "scales that are too large": lambda s: scaled(s, 2),
    "one scale that is too small": lambda s: s["noise"]["scales"].update(d="1"),
    "a scale too few": lambda s: s["noise"]["scales"].pop("d"),
    "a scale too many": lambda s: s["noise"]["scales"].update(a="1"),
    "another law": lambda s: s["noise"].update(law="laplace"),
    "a table too few": lambda s: s["tables"].pop("d"),
    "a table that is not of a maximal family": lambda s: s["tables"].update(a=[[1, 2]]),
    "a table of another shape": lambda s: s["tables"]["d"].pop(),
    "a float": lambda s: s["tables"]["d"][0].__setitem__(0, 1.5),
    "a consistency that is no truth value": lambda s: s.update(consistent=1),
    "a consistency that the mechanism does not have": lambda s: s.update(consistent=False),
    "an entry too many": lambda s: s.update(extra=1),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_file_is_refused_even_with_a_fitting_digest(tmp_path, fault):
    path = forged(made("1/2"), tmp_path / "x.json", lambda content: FAULTS[fault](content["statistics"]))
    with pytest.raises(FormatError):
        load(path)


@pytest.mark.parametrize("name", ["laplace", "laplace-maximal"])
def test_a_file_with_another_mechanism_than_made_its_statistics_is_refused(tmp_path, name):
    path = forged(made("1/2"), tmp_path / "x.json", lambda content: content["mechanism"].update(name=name))
    with pytest.raises(FormatError, match="not those of its mechanism"):
        load(path)


def test_it_can_be_updated_with_records_of_ones_own():
    posterior = made().plugin
    updated = posterior.update(DATA)
    assert updated.concentration("a").sum() == pytest.approx(posterior.concentration("a").sum() + 400)

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from support.bits import FailingBits, SeededBits
from support.files import check_loaded, content_of, forged

from discreet import FormatError, Fourier, Ledger, ModelError, Network, Variable, load, naive_bayes, release
from discreet.measure.published import Repair
from discreet.measure.strategies.parity_weights import Weights

NETWORK = naive_bayes("y", [f"x{i}" for i in range(6)])
DATA = pl.DataFrame({node: ["0", "1", "1", "0", "1"] for node in NETWORK.nodes})


def made(mechanism, seed=1, ledger=None):
    return release(DATA, NETWORK, mechanism, ledger=ledger or Ledger.unlimited(), _bits=SeededBits(seed))


@pytest.mark.parametrize("weights", Weights)
@pytest.mark.parametrize("repair", Repair)
def test_what_is_saved_is_what_is_loaded(tmp_path, repair, weights):
    one = made(Fourier("1/2", stealth=0.8, repair=repair, weights=weights))
    two = check_loaded(one, tmp_path / "x.json")
    for node in NETWORK.nodes:
        np.testing.assert_allclose(one.plugin.concentration(node), two.plugin.concentration(node), rtol=1e-12)


@pytest.mark.fast("Weights.OPTIMAL")
@pytest.mark.parametrize("weights", Weights)
def test_the_planned_error_is_the_error_that_happens(weights):
    plan = Fourier("1", weights=weights).plan(NETWORK, 5)
    assert (plan.released_numbers, plan.noise_scale) == (13, Fraction(12))
    exact = made(Fourier("1" + "0" * 20)).plugin.released
    releases = [made(Fourier("1", weights=weights), seed).plugin.released for seed in range(80)]
    errors = [np.abs(each.table(family) - exact.table(family)) for each in releases for family in NETWORK.maximal_families]
    assert np.mean(errors) == pytest.approx(plan.expected_error, rel=0.1)
    worst = np.array(errors).reshape(80, -1).max(axis=1)
    assert 0.9 <= (worst <= plan.largest_error).mean() <= 1


@pytest.mark.parametrize("others", [[], [Variable("b", ["0", "1"])]], ids=["alone", "among others"])
def test_a_network_with_three_levels_is_refused_before_the_charge(tmp_path, others):
    network = Network([Variable("a", ["0", "1", "2"]), *others])
    ledger = Ledger(tmp_path / "ledger", cap="1")
    with pytest.raises(ModelError, match="The Fourier mechanism needs variables of two levels"):
        release(pl.DataFrame({"a": ["0"], "b": ["0"]}), network, Fourier("1"), ledger=ledger, _bits=FailingBits())
    assert ledger.spent == 0


@pytest.mark.parametrize("stealth", [0, 1, 2])
def test_stealth_is_a_probability(stealth):
    with pytest.raises(ModelError, match="stealth"):
        Fourier("1", stealth=stealth)


def test_modes_may_be_words_and_unknown_ones_are_refused():
    assert Fourier("1", repair="clamp", weights="equal") == Fourier("1", repair=Repair.CLAMP, weights=Weights.EQUAL)
    with pytest.raises(ModelError, match="Did you mean 'optimal'"):
        Fourier("1", weights="optimum")
    with pytest.raises(ModelError, match="repair"):
        Fourier("1", repair="magic")


def test_weights_without_a_proof_are_refused_before_the_charge(tmp_path, monkeypatch):
    from discreet.measure.strategies.parity_weights import ParityWeights, parity_weights
    from discreet.mechanisms import fourier

    ledger = Ledger(tmp_path / "ledger", cap="1")
    honest = parity_weights(NETWORK)
    monkeypatch.setattr(fourier, "parity_weights", lambda *_: ParityWeights(honest.weights, honest.sensitivity - 1))
    with pytest.raises(ModelError, match="more than their sensitivity covers"):
        release(DATA, NETWORK, Fourier("1"), ledger=ledger, _bits=FailingBits())
    assert ledger.spent == 0


def test_an_impossible_promise_costs_nothing(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1")
    with pytest.raises(ModelError, match="too near to one"):
        release(DATA, NETWORK, Fourier("1", stealth=0.999999, repair=Repair.INCREMENT), ledger=ledger, _bits=FailingBits())
    assert ledger.spent == 0


def test_an_enormous_epsilon_gives_the_exact_tables():
    posterior = made(Fourier("1" + "0" * 25)).plugin
    np.testing.assert_allclose(posterior.concentration("y"), [[3.0, 4.0]], rtol=1e-13)
    np.testing.assert_allclose(posterior.concentration("x0"), [[3.0, 1.0], [1.0, 4.0]], rtol=1e-13)


FAULTS = {
    "a smaller sensitivity": lambda s: s.update(sensitivity=1, noise={"law": "discrete-laplace", "scale": "2"}),
    "a larger sensitivity": lambda s: s.update(sensitivity=99, noise={"law": "discrete-laplace", "scale": "198"}),
    "a scale that does not fit": lambda s: s["noise"].update(scale="1"),
    "a set too few": lambda s: (s["sets"].pop(), s["odd"].pop()),
    "a set twice": lambda s: s["sets"].__setitem__(0, s["sets"][1]),
    "a set of no node": lambda s: s["sets"].__setitem__(0, []),
    "a node that does not exist": lambda s: s["sets"].__setitem__(0, [99]),
    "a weight too few": lambda s: s["weights"].pop(),
    "a weight of nothing": lambda s: s["weights"].__setitem__(0, 0),
    "a weight that was not paid for": lambda s: s["weights"].__setitem__(0, s["weights"][0] + 1),
    "weights beyond all measure": lambda s: s.update(
        weights=[2**40] * 13, sensitivity=12 * 2**40, noise={"law": "discrete-laplace", "scale": str(24 * 2**40)}
    ),
    "a float": lambda s: s["odd"].__setitem__(0, 1.5),
    "an unknown repair": lambda s: s.update(repair="magic"),
    "a negative increment": lambda s: s.update(increment=-1),
}


def test_weights_that_are_called_equal_must_be_equal(tmp_path):
    honest = made(Fourier("1/2"))
    path = forged(honest, tmp_path / "x.json", lambda content: content["mechanism"]["parameters"].update(weights="equal"))
    with pytest.raises(FormatError, match="does not fit its guarantee"):
        load(path)


def test_a_sensitivity_that_is_too_small_is_found_on_an_entangled_graph(tmp_path):
    """Narrow tables alone know no flip of more than 328 sets here; the release needs 347."""
    import random

    from discreet.measure.strategies.odd_weight import largest_odd_weight

    generator, names = random.Random(5), [f"n{place}" for place in range(30)]
    parents = {name: generator.sample(names[:place], min(place, 4)) for place, name in enumerate(names)}
    network = Network([Variable(name, ["0", "1"]) for name in names], parents)
    data = pl.DataFrame({name: ["0", "1"] for name in names})
    released = release(data, network, Fourier("1", weights="equal"), ledger=Ledger.unlimited())
    needed = content_of(released)["statistics"]["sensitivity"]
    weights = {frozenset(each.nodes): each.law.weight for each in released.value.released.measurements}
    assert largest_odd_weight(network, weights, 12).attained < needed - 1
    check_loaded(released, tmp_path / "honest.json")
    smaller = {"sensitivity": needed - 1, "noise": {"law": "discrete-laplace", "scale": str(needed - 1)}}
    path = forged(released, tmp_path / "forged.json", lambda content: content["statistics"].update(smaller))
    with pytest.raises(FormatError, match="does not fit its guarantee"):
        load(path)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_file_is_refused_even_with_a_fitting_digest(tmp_path, fault):
    path = forged(made(Fourier("1/2")), tmp_path / "x.json", lambda content: FAULTS[fault](content["statistics"]))
    with pytest.raises(FormatError):
        load(path)

"""Agreement of chains, compared with what arviz-stats 0.8.0 says of the same draws."""

import numpy as np
import pytest

from discreet.chains.diagnostics import Diagnostics, diagnose

CASES = ("independent", "remembers", "alternates", "one chain elsewhere", "one chain wider", "drifts", "few values")
SHAPES = ((4, 2), (9, 4), (60, 16), (101, 3))
FOUND = {
    ("independent", 4, 2): (1.462882904319874, 7.224719895935548),
    ("independent", 9, 4): (0.9737389893751769, 48.16479930623699),
    ("independent", 60, 16): (0.9975053513632718, 1135.6037941217935),
    ("independent", 101, 3): (1.006067683696223, 330.504000893036),
    ("remembers", 4, 2): (2.3180109173339476, 7.224719895935548),
    ("remembers", 9, 4): (1.3479387009065156, 48.16479930623699),
    ("remembers", 60, 16): (1.1613778873524776, 75.4171468224358),
    ("remembers", 101, 3): (1.19822632140135, 12.01394354320975),
    ("alternates", 4, 2): (1.0250856219275866, 7.224719895935548),
    ("alternates", 9, 4): (0.9796984091820509, 48.16479930623699),
    ("alternates", 60, 16): (1.0068552999470612, 2862.9803837179857),
    ("alternates", 101, 3): (1.0032036205431671, 743.1363764158988),
    ("one chain elsewhere", 4, 2): (1.38644286305142, 7.224719895935548),
    ("one chain elsewhere", 9, 4): (1.3505954753669325, 48.16479930623699),
    ("one chain elsewhere", 60, 16): (1.0967440803307216, 133.73929455162664),
    ("one chain elsewhere", 101, 3): (1.3316550864757724, 7.910306493086755),
    ("one chain wider", 4, 2): (1.7582476428721334, 7.224719895935548),
    ("one chain wider", 9, 4): (1.1465962654066073, 48.16479930623699),
    ("one chain wider", 60, 16): (1.134546448308433, 1171.5510865701353),
    ("one chain wider", 101, 3): (1.4516251295931024, 306.8843325459527),
    ("drifts", 4, 2): (1.0437634793076636, 7.224719895935548),
    ("drifts", 9, 4): (1.2884131583718417, 48.16479930623699),
    ("drifts", 60, 16): (1.2734557063953775, 48.072088021808135),
    ("drifts", 101, 3): (1.3324468821307418, 7.618338162539551),
    ("few values", 4, 2): (1.371725012399914, 7.224719895935548),
    ("few values", 9, 4): (0.9396047801374484, 48.16479930623699),
    ("few values", 60, 16): (1.0046416949770531, 990.191245145614),
    ("few values", 101, 3): (1.0142404879101388, 249.77562188415172),
}
"""R-hat (rank) and effective size (bulk) by arviz-stats 0.8.0 for each case and shape."""


def chains(case, rounds, count):
    """Draws without a generator, so that they are the same everywhere: rounds x chains x one quantity."""
    place, chain = np.mgrid[1 : rounds + 1, 1 : count + 1]
    draws = np.sin(12.9898 * place + 78.233 * chain + len(case)) * 43758.5453 % 1 - 0.5
    match case:
        case "remembers" | "alternates":
            for step in range(1, rounds):
                draws[step] += (0.8 if case == "remembers" else -0.6) * draws[step - 1]
        case "one chain elsewhere":
            draws[:, 0] += 0.5
        case "one chain wider":
            draws[:, 0] *= 9
        case "drifts":
            draws += np.linspace(0, 1, rounds)[:, None]
        case "few values":
            draws = np.round(3 * draws)
    return draws[:, :, None]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("case", CASES)
def test_r_hat_and_effective_size_are_those_of_arviz(case, shape):
    found = diagnose(chains(case, *shape))
    assert (found.r_hat, found.effective_size) == pytest.approx(FOUND[case, *shape], rel=1e-9)
    assert found.draws == shape[0] * shape[1]


def test_independent_draws_are_worth_their_number():
    found = diagnose(np.random.default_rng(1).standard_normal((500, 8, 3)))
    assert found.draws == 4000
    assert found.r_hat < 1.01
    assert 3000 < found.effective_size < 5500
    assert found.converged


def test_draws_that_remember_are_worth_less():
    """An autoregression with coefficient 0.8 is worth (1 - 0.8) / (1 + 0.8) of its draws."""
    generator = np.random.default_rng(2)
    draws = np.zeros((4000, 4, 1))
    for place in range(1, 4000):
        draws[place] = 0.8 * draws[place - 1] + generator.standard_normal((4, 1))
    assert diagnose(draws).effective_size == pytest.approx(16_000 / 9, rel=0.25)


@pytest.mark.parametrize("fault", ["one chain elsewhere", "all chains drift"])
def test_chains_that_disagree_are_noticed(fault):
    draws = np.random.default_rng(3).standard_normal((200, 4, 2))
    if fault == "one chain elsewhere":
        draws[:, 0, 1] += 2
    else:
        draws[..., 1] += np.linspace(0, 3, 200)[:, None]
    found = diagnose(draws)
    assert found.r_hat > 1.1
    assert found.effective_size < 100
    assert not found.converged


def test_chains_of_different_width_are_noticed_though_their_means_agree():
    draws = np.random.default_rng(4).standard_normal((400, 4, 1))
    draws[:, 0] *= 10
    assert diagnose(draws).r_hat > 1.1


def test_chains_that_stand_still_at_several_places_do_not_agree():
    draws = np.broadcast_to(np.arange(4.0)[:, None], (50, 4, 1))
    found = diagnose(draws)
    assert found.r_hat == np.inf
    assert not found.converged


def test_a_quantity_that_is_known_exactly_is_worth_all_draws():
    assert diagnose(np.full((50, 4, 1), 0.25)) == Diagnostics(1.0, 1.0, 200.0, 200.0, 200)


def test_the_worst_quantity_decides():
    draws = np.random.default_rng(5).standard_normal((200, 4, 30))
    assert diagnose(draws).converged
    draws[:, 0, 7] += 5
    assert diagnose(draws).typical_r_hat < 1.02
    assert not diagnose(draws).converged


@pytest.mark.parametrize(("size", "converged"), [(49.0, False), (50.0, True)])
def test_the_worst_quantity_must_be_worth_fifty_draws(size, converged):
    assert Diagnostics(1.0, 1.0, size, 1600.0, 1600).converged is converged
    assert Diagnostics(1.0, 1.0, 20.0, 20.0, 20).converged  # or all that there are


def test_the_worst_quantity_must_have_an_r_hat_below_1_1():
    assert Diagnostics(1.09, 1.0, 1600.0, 1600.0, 1600).converged
    assert not Diagnostics(1.1, 1.0, 1600.0, 1600.0, 1600).converged


def test_many_quantities_are_measured_piece_by_piece_with_the_same_result(monkeypatch):
    draws = np.random.default_rng(6).standard_normal((50, 4, 7))
    whole = diagnose(draws)
    monkeypatch.setattr("discreet.chains.diagnostics._AT_ONCE", 2 * 200)
    assert diagnose(draws) == whole


@pytest.mark.parametrize("shape", [(3, 4, 2), (100, 1, 2)])
def test_of_one_chain_or_three_rounds_nothing_can_be_told(shape):
    assert diagnose(np.random.default_rng(7).standard_normal(shape)).r_hat == 1.0

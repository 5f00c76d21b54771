"""The projection against a general solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from support.networks import networks

from discreet.measure.projection import _system, nearest_non_negative


@given(st.data())
@settings(max_examples=25)
def test_the_projection_is_feasible_and_as_near_as_a_general_solver_finds(data):
    network = data.draw(networks(max_nodes=4, max_levels=2))
    sets, cells, floor = _system(network)
    generator = np.random.default_rng(data.draw(st.integers(0, 2**20)))
    rows = data.draw(st.integers(1, 50))
    start = generator.normal(0, 40, len(sets))
    variances = generator.choice([1.0, 4.0, 100.0], len(sets))
    found = nearest_non_negative(
        network, dict(zip(sets, start, strict=True)), dict(zip(sets, variances.tolist(), strict=True)), rows
    )
    point = np.array([found[gamma] for gamma in sets])
    assert (cells @ point + floor * rows >= -1e-9 * rows).all()
    solved = minimize(
        lambda x: ((x - start) ** 2 / variances).sum(),
        np.zeros(len(sets)),
        jac=lambda x: 2 * (x - start) / variances,
        constraints={"type": "ineq", "fun": lambda x: cells @ x + floor * rows, "jac": lambda x: cells.toarray()},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    distance = ((point - start) ** 2 / variances).sum()
    assert distance <= solved.fun * (1 + 1e-4) + 1e-4


def test_what_is_already_non_negative_stays():
    from discreet import naive_bayes

    network = naive_bayes("y", ["a"])
    phi = {gamma: 1.0 for gamma in network.downward_closure if gamma}
    assert nearest_non_negative(network, phi, phi, 100) == pytest.approx(phi)
    without_noise = dict.fromkeys(phi, 0.0)
    assert nearest_non_negative(network, phi, without_noise, 100) == pytest.approx(phi)


def test_what_is_known_better_moves_less():
    from discreet import naive_bayes

    network = naive_bayes("y", ["a"])
    phi = {frozenset("y"): 60.0, frozenset("a"): 120.0, frozenset("ya"): 0.0}
    sharp = nearest_non_negative(network, phi, dict.fromkeys(phi, 100.0) | {frozenset("y"): 1.0}, 100)
    even = nearest_non_negative(network, phi, dict.fromkeys(phi, 100.0), 100)
    assert abs(sharp[frozenset("y")] - 60) < abs(even[frozenset("y")] - 60)

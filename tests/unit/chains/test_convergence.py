import numpy as np
import pytest

from discreet.chains.convergence import convergence


def test_independent_draws_are_worth_their_number():
    draws = np.random.default_rng(1).standard_normal((500, 8, 3))
    found = convergence(draws)
    assert found.draws == 4000
    assert found.r_hat < 1.01
    assert 3000 < found.effective_draws < 5500
    assert found.good()


def test_draws_that_remember_are_worth_less():
    """An autoregression with coefficient 0.8 is worth (1 - 0.8) / (1 + 0.8) of its draws."""
    generator = np.random.default_rng(2)
    draws = np.zeros((4000, 4, 1))
    for place in range(1, 4000):
        draws[place] = 0.8 * draws[place - 1] + generator.standard_normal((4, 1))
    assert convergence(draws).effective_draws == pytest.approx(16_000 / 9, rel=0.25)


@pytest.mark.parametrize("fault", ["one chain elsewhere", "all chains drift"])
def test_chains_that_disagree_are_noticed(fault):
    draws = np.random.default_rng(3).standard_normal((200, 4, 2))
    if fault == "one chain elsewhere":
        draws[:, 0, 1] += 2
    else:
        draws[..., 1] += np.linspace(0, 3, 200)[:, None]
    found = convergence(draws)
    assert found.r_hat > 1.1
    assert found.effective_draws < 100
    assert not found.good()

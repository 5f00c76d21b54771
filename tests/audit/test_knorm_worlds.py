"""The guarantee of K-norm noise, by listing everything that can happen in small worlds.

Where a world has one or two numbers, the probabilities of the rounded noise are integrals over unit squares, computed in ball
arithmetic. In every world the worst ratio of densities is exp(sum of norm / scale over the bundles): an exact fraction.
"""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from flint import arb, ctx, fmpq
from support.measurements import blocks_of
from support.small_worlds import data_sets, graphs, neighbours

from discreet import Ledger, Network, Variable, release
from discreet.counts import family_counts
from discreet.counts.statistics import statistics as numbers_of
from discreet.kernel.noise import knorm as law
from discreet.kernel.noise.knorm_bodies import Interval, Sum
from discreet.measure.measurement import fill
from discreet.measure.strategies.knorm import bundles_of, knorm_measurements
from discreet.mechanisms.knorm import KNorm
from discreet.mechanisms.parcels import bundle_body

THREE = [
    Network([Variable("a", list("012"))]),
    Network([Variable("a", list("012")), Variable("b", list("01"))], {"b": ["a"]}),
    Network([Variable("a", list("01")), Variable("b", list("012")), Variable("c", list("01"))], {"b": ["a"], "c": ["a"]}),
    Network([Variable("a", list("012")), Variable("b", list("01")), Variable("c", list("01"))], {"b": ["a"], "c": ["a", "b"]}),
]
WORLDS = [*graphs(1), *graphs(2), *graphs(3), *THREE]


def frame(network, data):
    return pl.DataFrame(list(data), schema=list(network.nodes), orient="row")


def norm(body, point):
    """The norm of a body, straight from its definition."""
    if isinstance(body, Interval):
        return Fraction(abs(int(point[0]))) / body.half_width
    ends = np.cumsum([part.dimension for part in body.parts])[:-1]
    norms = [norm(part, values) for part, values in zip(body.parts, np.split(point, ends), strict=True)]
    return sum(norms) if isinstance(body, Sum) else max(norms)


def layout(network, epsilon):
    data = data_sets(network, 1)[0]
    made = release(frame(network, data), network, KNorm(epsilon), ledger=Ledger.unlimited()).plugin.released
    return bundles_of(made.measurements)


def true_blocks(network, data, bundles):
    asked = knorm_measurements(bundles)
    return blocks_of(fill(asked, numbers_of(family_counts(frame(network, data), network), network, asked)))


def statistics(network, rows, bundles):
    """For every data set, the numbers of each bundle."""
    found = {}
    for data in data_sets(network, rows):
        found[data] = [np.concatenate([block.ravel() for block in own]) for own in true_blocks(network, data, bundles)]
    return found


def worst_exponent(network, rows, bundles, scales):
    """The logarithm of the largest ratio of the densities of an output under neighbours, exactly."""
    bodies = [bundle_body(bundle) for bundle in bundles]
    numbers = statistics(network, rows, bundles)
    return max(
        sum(
            norm(body, one - two) / scale
            for body, scale, one, two in zip(bodies, scales, numbers[data], numbers[other], strict=True)
        )
        for data in numbers
        for other in set(neighbours(network, data))
    )


@pytest.mark.parametrize("network", WORLDS, ids=repr)
def test_no_output_is_likelier_than_epsilon_allows(network):
    epsilon = Fraction(7, 10)
    bundles = layout(network, epsilon)
    worst = worst_exponent(network, 1, bundles, [bundle.scale for bundle in bundles])
    assert worst <= epsilon
    assert worst == epsilon  # and epsilon is not overstated
    # A planted fault: a scale of 1 / epsilon, as for data sets that differ by adding a record.
    assert worst_exponent(network, 1, bundles, [bundle.scale / 2 for bundle in bundles]) > epsilon


def test_more_records_protect_one_another_no_less():
    network = THREE[1]
    bundles = layout(network, "1")
    assert worst_exponent(network, 2, bundles, [bundle.scale for bundle in bundles]) == 1


def below(x, y, scale):
    """The integral of exp(-max(|s|, |t|) / scale) / (8 scale^2) over 0 <= s <= x, 0 <= t <= y, odd in x and y."""
    sign = (1 if x > 0 else -1) * (1 if y > 0 else -1)
    small, large = sorted((abs(x), abs(y)))
    a, b, s = (arb(fmpq(value.numerator, value.denominator)) for value in (small, large, scale))
    square = 2 * (s**2 - s * (a + s) * (-a / s).exp())
    strip = a * s * ((-a / s).exp() - (-b / s).exp())
    return sign * (square + strip) / (8 * s**2)


def square_law(scale, reach):
    """The probabilities of the rounded noise of two numbers in one box, certified, at all places up to the reach."""
    edges = [Fraction(2 * place - 1, 2) for place in range(-reach, reach + 2)]
    corner = [[below(x, y, scale) for y in edges] for x in edges]
    size = range(2 * reach + 1)
    return [[corner[i + 1][j + 1] - corner[i][j + 1] - corner[i + 1][j] + corner[i][j] for j in size] for i in size]


def worst_log_ratio(law, moves, reach, window):
    """The largest log ratio of the probabilities of an output in the window under two statistics that differ by a move."""
    places = range(-window, window + 1)
    return max(
        float((law[x + reach][y + reach] / law[x + dx + reach][y + dy + reach]).log())
        for dx, dy in moves
        for x in places
        for y in places
    )


@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(3)])
def test_exact_probabilities_of_the_rounded_noise_keep_epsilon(epsilon):
    """Two independent binary nodes: two signed differences, one box, all data sets of up to three records, all neighbours."""
    network = next(iter(graphs(2)))
    bundles = layout(network, epsilon)
    assert [bundle.dimension for bundle in bundles] == [2]
    assert len(bundle_body(bundles[0]).parts) == 1
    moves = {
        tuple((one[0] - two[0]).tolist())
        for rows in (1, 2, 3)
        for numbers in [statistics(network, rows, bundles)]
        for data, one in numbers.items()
        for two in (numbers[other] for other in set(neighbours(network, data)))
    }
    assert moves == {(x, y) for x in (-2, 0, 2) for y in (-2, 0, 2)}
    with ctx.workprec(300):
        law = square_law(bundles[0].scale, 14)
        total = sum(float(value) for row in square_law(Fraction(1, 2), 20) for value in row)
        worst = worst_log_ratio(law, moves, 14, 12)
        half = worst_log_ratio(square_law(bundles[0].scale / 2, 14), moves, 14, 12)
    assert total == pytest.approx(1, abs=1e-12)
    assert worst <= epsilon * (1 + 1e-12)
    assert worst == pytest.approx(float(epsilon))  # attained far out
    assert half > 1.5 * epsilon  # a planted fault: half the scale


def test_the_sampler_has_these_probabilities():
    from support.bits import SeededBits
    from support.statistics import ALPHA, chi_square_p

    from discreet.kernel.noise.knorm import knorm_noise
    from discreet.kernel.noise.knorm_bodies import box

    with ctx.workprec(300):
        law = np.array([[float(value) for value in row] for row in square_law(Fraction(2, 3), 6)])
    draws = knorm_noise(box([Fraction(1)] * 2), Fraction(2, 3), 4000, SeededBits(4))
    inside = (np.abs(draws) <= 6).all(axis=1)
    seen = np.zeros(law.shape)
    np.add.at(seen, tuple((draws[inside] + 6).T), 1)
    observed = np.append(seen.ravel(), (~inside).sum())
    order = np.argsort(-law.ravel())
    exact = np.append(law.ravel()[order], 1 - law.sum())
    assert chi_square_p(np.append(observed[:-1][order], observed[-1]), exact) > ALPHA
    wrong = np.append(np.roll(law, 1, axis=0).ravel()[order], 1 - law.sum())
    assert chi_square_p(np.append(observed[:-1][order], observed[-1]), wrong) < ALPHA


@pytest.mark.parametrize("epsilon", ["1", "1/3"])
def test_the_release_is_the_sum_of_blocks_and_noise(monkeypatch, epsilon):
    """With the noise known, the release is known: nothing else of the records gets out, and scales are the proven ones."""
    network = THREE[3]
    for seed, data in enumerate(data_sets(network, 3)[::60]):
        asked = []

        def scripted(body, scale, count, bits, seed=seed, asked=asked):
            asked.append((body, scale))
            return np.random.default_rng(seed).integers(-3, 4, size=(count, body.dimension))

        monkeypatch.setattr(law, "knorm_noise", scripted)
        made = release(frame(network, data), network, KNorm(epsilon), ledger=Ledger.unlimited()).plugin.released
        bundles = bundles_of(made.measurements)
        assert asked == [(bundle_body(bundle), 2 / bundle.epsilon) for bundle in bundles]
        assert sum(bundle.epsilon for bundle in bundles) == Fraction(epsilon)
        true = true_blocks(network, data, bundles)
        for bundle, noisy, exact in zip(bundles, blocks_of(made.measurements), true, strict=True):
            noise = np.random.default_rng(seed).integers(-3, 4, size=bundle.dimension)
            flat = [np.concatenate([block.ravel() for block in blocks]) for blocks in (noisy, exact)]
            np.testing.assert_array_equal(flat[0], flat[1] + noise)

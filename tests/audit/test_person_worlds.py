"""Persons with one to three records replaced by persons with one to three others: everything that can happen, in fractions.

Counts are in parts of persons, six of which are one, with noise of P(k) proportional to q^|k| on the parts; then the sum is
rounded to persons. exp(epsilon) = q^-(6 x sensitivity). The counts are the package's own.
"""

from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import polars as pl
import pytest
from support.bits import SeededBits
from support.measurements import tables_of
from support.persons import average, flat, person_frame, persons_of, records_of, total
from support.small_worlds import graphs

from discreet import Fourier, KNorm, Laplace, Ledger, LinearModel, RegressionMoments, Unit, release
from discreet.counts import family_counts, family_sensitivity
from discreet.counts.moments import moment_numbers
from discreet.counts.persons import person_family_counts, person_moments
from discreet.counts.statistics import statistics
from discreet.kernel.noise import laplace as law
from discreet.kernel.noise.knorm_bodies import Interval, Sum
from discreet.kernel.noise.moments import DeclaredMoments
from discreet.mechanisms.parcels import moment_law, parcels_of

AVERAGE = Unit.person("id", "average", 3)
PARTS = 6
HALF = Fraction(1, 2)
WORLDS = [next(graphs(1)), *graphs(2)]


def counted(network, persons):
    """The package's counts of these persons, in parts."""
    return flat(person_family_counts(person_frame(network, persons), network, AVERAGE, SeededBits(1).read), network)


def one_each(network, persons):
    """Planted: every record counts as a person."""
    frame = person_frame(network, persons)
    return [PARTS * cell for cell in flat(family_counts(frame, network), network)]


def by_the_longest(network, persons):
    """Planted: every record counts as if its person had as many records as the person who has most."""
    longest = max(len(person) for person in persons)
    return [
        sum(PARTS // longest * cell for cell in column)
        for column in zip(*([average(network, (one,)) for person in persons for one in person]), strict=True)
    ]


def rounded_law(count, reach, q):
    """P(z) for the sum of a count in parts and noise, rounded to whole persons, at z = -reach .. reach; exact."""

    def below(value):  # P(count + noise < value)
        k = value - count
        return q ** (1 - k) / (1 + q) if k <= 0 else 1 - q**k / (1 + q)

    edges = [PARTS * z - PARTS // 2 for z in range(-reach, reach + 2)]
    return [below(high) - below(low) for low, high in pairwise(edges)]


def worst_ratio(network, others, count, q=HALF):
    """The largest ratio of probabilities of an output between all replacements of one person beside the others.

    Cells are independent, so the largest ratio is a product over the cells. Beyond the reach ratios stay as they are.
    """
    numbers = {person: count(network, [person, *others]) for person in persons_of(network)}
    reach = 4
    laws = {value: rounded_law(value, reach, q) for cells in numbers.values() for value in cells}
    largest = {
        (one, two): max(a / b for a, b in zip(laws[one], laws[two], strict=True)) for one, two in product(laws, repeat=2)
    }
    worst = Fraction(1)
    for mine, theirs in product(numbers.values(), repeat=2):
        ratio = Fraction(1)
        for pair in zip(mine, theirs, strict=True):
            ratio *= largest[pair]
        worst = max(worst, ratio)
    return worst


@pytest.mark.parametrize("network", WORLDS, ids=repr)
@pytest.mark.parametrize("beside", [0, 1])
def test_no_output_is_likelier_than_epsilon_allows(network, beside):
    allowed = HALF ** -(PARTS * family_sensitivity(network))
    for others in [()] if not beside else [(person,) for person in persons_of(network)[:: len(persons_of(network)) // 2]]:
        assert worst_ratio(network, others, counted) <= allowed


@pytest.mark.parametrize("network", WORLDS, ids=repr)
def test_records_that_count_as_persons_are_caught(network):
    assert worst_ratio(network, (), one_each) > HALF ** -(PARTS * family_sensitivity(network))


def test_shares_that_depend_on_other_persons_are_caught():
    network = WORLDS[0]
    others = (records_of(network)[:1], records_of(network)[:1], records_of(network)[:1])
    assert worst_ratio(network, others, counted) <= HALF ** -(PARTS * family_sensitivity(network))
    assert worst_ratio(network, others, by_the_longest) > HALF ** -(PARTS * family_sensitivity(network))


@pytest.mark.parametrize("network", WORLDS, ids=repr)
def test_the_counts_are_the_averages_of_persons(network):
    everybody = persons_of(network)
    for start in range(0, len(everybody), 5):
        persons = everybody[start : start + 5]
        assert counted(network, persons) == [PARTS * cell for cell in total(network, persons)]
    several = [person for person in everybody if len(person) > 1]
    assert one_each(network, several) != [PARTS * cell for cell in total(network, several)]


def test_the_release_is_the_sum_of_averages_and_noise_rounded_to_persons(monkeypatch):
    """With the noise known, the release is known, and it is asked for at so many times the scale."""
    network = WORLDS[-1]
    for seed, person in enumerate(persons_of(network)[::4]):
        persons = [person, *persons_of(network)[seed::11]]
        noise = np.random.default_rng(seed).integers(-30, 31, size=network.cells)
        asked = []

        def scripted(scale, count, bits, noise=noise, asked=asked):
            asked.append((scale, count))
            return noise

        monkeypatch.setattr(law, "discrete_laplace", scripted)
        made = release(
            person_frame(network, persons),
            network,
            Laplace("1/3"),
            ledger=Ledger.unlimited(),
            person="id",
            rows_per_person="average",
            average_of=3,
        )
        assert asked == [(3 * PARTS * family_sensitivity(network), network.cells)]
        published = np.concatenate([tables_of(made.plugin.released)[node].ravel() for node in network.nodes])
        sums = [cell + Fraction(int(own), PARTS) for cell, own in zip(total(network, persons), noise, strict=True)]
        assert published.tolist() == [(2 * each + 1) // 2 for each in sums]
        assert made.plugin.released.rows == len(persons)


def choices(network, persons):
    """The law of the counts where one record of each person counts, chosen at random: counts -> probability."""
    found = Counter()
    for chosen in product(*persons):
        cells = tuple(int(cell) for cell in total(network, [(one,) for one in chosen]))
        found[cells] += Fraction(1, int(np.prod([len(person) for person in persons])))
    return found


def mixture(network, persons, q, reach=3):
    """The law of all published cells together, where one record of each person counts."""
    law_of = {c: [(1 - q) / (1 + q) * q ** abs(z - c) for z in range(-reach, reach + 1)] for c in range(len(persons) + 1)}
    found = Counter()
    for cells, weight in choices(network, persons).items():
        for places in product(range(2 * reach + 1), repeat=len(cells)):
            chance = weight
            for cell, place in zip(cells, places, strict=True):
                chance *= law_of[cell][place]
            found[places] += chance
    return found


def test_one_record_of_each_person_is_no_likelier_than_epsilon_allows():
    network = WORLDS[0]
    allowed = HALF ** -family_sensitivity(network)
    for other in persons_of(network)[::3]:
        laws = [mixture(network, (person, other), HALF) for person in persons_of(network)]
        assert all(one[z] <= allowed * two[z] for one, two in product(laws, repeat=2) for z in one)


def test_the_package_chooses_one_record_of_each_person_as_the_worlds_say():
    """Over many choices every record of a person counts about as often, and no count happens that could not."""
    network = WORLDS[-1]
    persons = [(("0", "0"), ("0", "1"), ("1", "1")), (("1", "0"), ("1", "0"), ("0", "0"))]
    bits, tries = SeededBits(7), 400
    seen = Counter(
        tuple(flat(person_family_counts(person_frame(network, persons), network, Unit.person("id"), bits.read), network))
        for _ in range(tries)
    )
    wanted = choices(network, persons)
    assert seen.keys() == wanted.keys()
    for cells, chance in wanted.items():  # five standard deviations
        assert abs(seen[cells] - tries * chance) < 5 * float(tries * chance * (1 - chance)) ** 0.5


def norm(body, point):
    """The norm of a body, straight from its definition."""
    if isinstance(body, Interval):
        return Fraction(abs(int(point[0]))) / body.half_width
    ends = np.cumsum([part.dimension for part in body.parts])[:-1]
    norms = [norm(part, values) for part, values in zip(body.parts, np.split(point, ends), strict=True)]
    return sum(norms) if isinstance(body, Sum) else max(norms)


def parcels(network, mechanism, persons, unit=AVERAGE):
    """What goes through the kernel for these persons."""
    asked = mechanism.measurements(network)
    tables = person_family_counts(person_frame(network, persons), network, unit, SeededBits(1).read)
    return parcels_of(asked)(asked, statistics(tables, network, asked), mechanism.guarantee, network, unit.parts)


@pytest.mark.parametrize("network", WORLDS, ids=repr)
def test_a_person_moves_every_norm_no_further_than_a_record(network):
    """K-norm bodies, weighted parities and tables: at most the sensitivity for which the noise is made, and it is attained."""
    knorm = [parcels(network, KNorm("1"), [person]) for person in persons_of(network)]
    fourier = [parcels(network, Fourier("1"), [person]) for person in persons_of(network)]
    tables = [parcels(network, Laplace("1"), [person]) for person in persons_of(network)]
    worst = Fraction(0)
    for one, two in product(range(len(knorm)), repeat=2):
        for mine, theirs in zip(knorm[one], knorm[two], strict=True):
            worst = max(worst, norm(mine.noise.body, mine.numbers - theirs.numbers) / mine.noise.sensitivity)
        (mine,), (theirs,) = fourier[one], fourier[two]
        moved = sum(w * abs(int(d)) for w, d in zip(mine.noise.weights, mine.numbers - theirs.numbers, strict=True))
        assert moved <= mine.noise.sensitivity
        for mine, theirs in zip(tables[one], tables[two], strict=True):
            assert np.abs(mine.numbers - theirs.numbers).sum() <= mine.noise.sensitivity
            assert ((mine.numbers - theirs.numbers) ** 2).sum() <= 2 * PARTS**2
    assert worst == 1


MODEL = LinearModel({"x": (-1, 1)}, ("y", (-1, 1)), resolution=4)


def line_persons():
    corners = list(product([-1.0, 0.0, 1.0], repeat=2))
    return [(one,) for one in corners] + [(one, two) for one in corners for two in corners[::2]] + [tuple(corners[:3])]


def line_moments(persons):
    rows = [(number, *record) for number, person in enumerate(persons) for record in person]
    frame = pl.DataFrame(rows, schema=["id", "x", "y"], orient="row")
    return person_moments(frame, MODEL, AVERAGE, SeededBits(1).read)


def test_a_person_moves_the_moments_no_further_than_a_record():
    """In the norms of all three laws: largest change, weighted squares, and a positive matrix of at most the trace."""
    bound = DeclaredMoments(3, 2**MODEL.resolution, True, 1, PARTS)
    found = [[int(number) for number in moment_numbers(line_moments([person]), MODEL)] for person in line_persons()]
    largest = 0
    for one, two in product(found, repeat=2):
        changes = [a - b for a, b in zip(one, two, strict=True)]
        squares = [row == column for row, column in bound.places]
        assert max(map(abs, changes)) <= bound.change
        assert max(abs(d) for d, square in zip(changes, squares, strict=True) if square) <= bound.square
        weighed = sum((2 if square else 1) * d * d for d, square in zip(changes, squares, strict=True))
        assert weighed <= bound.length**2
        largest = max(largest, max(map(abs, changes)))
    assert largest == bound.change == 2 * PARTS * 4**MODEL.resolution  # attained: the noise is not too large either
    for one in found:
        trace = PARTS * 4**MODEL.resolution + sum(
            n for n, (row, column) in zip(one, bound.places, strict=True) if row == column
        )
        assert trace <= bound.length


def test_moments_of_records_that_count_as_persons_are_refused_by_the_kernel():
    """Planted: three records of one person that count one each are more than one person can add."""
    rows = [(number, 1.0, 1.0) for number in range(3)]
    frame = pl.DataFrame(rows, schema=["id", "x", "y"], orient="row")
    many = moment_numbers(person_moments(frame, MODEL, AVERAGE, SeededBits(1).read), MODEL)
    measurement = RegressionMoments("1").measurement(MODEL)
    with pytest.raises(ValueError, match="so many records within the declared bounds"):
        moment_law(measurement, MODEL, 1, PARTS).check(many)
    moment_law(measurement, MODEL, 3, PARTS).check(many)

"""Counts and moments of persons are sums over persons of averages, exactly, whatever holds the records."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from support.bits import SeededBits
from support.persons import flat, person_frame, persons_of, total
from support.small_worlds import graphs

from discreet import DataError, DomainError, LinearModel, Network, Unit, Variable
from discreet.counts.moments import check_moments
from discreet.counts.persons import person_family_counts, person_moments

NETWORK = list(graphs(2))[-1]
AVERAGE = Unit.person("id", "average")
MODEL = LinearModel({"x": (0, 10)}, ("y", (-5, 5)), resolution=8)


def read(count):
    return SeededBits(3).read(count)


def everybody():
    return persons_of(NETWORK)[::3]


@pytest.mark.parametrize("kind", ["frame", "csv", "two files", "ndjson", "parquet"])
def test_counts_equal_a_sum_over_persons(tmp_path, kind):
    frame = person_frame(NETWORK, everybody())
    data = frame
    if kind == "two files":  # so that persons are spread over both
        frame[::2].write_csv(tmp_path / "1.csv")
        frame[1::2].write_csv(tmp_path / "2.csv")
        data = str(tmp_path / "*.csv")
    elif kind != "frame":
        data = tmp_path / f"records.{kind}"
        getattr(frame, f"write_{kind}")(data)
    tables = person_family_counts(data, NETWORK, AVERAGE, read)
    assert flat(tables, NETWORK) == [27720 * cell for cell in total(NETWORK, everybody())]
    assert all(table.dtype == np.int64 for table in tables.values())


def test_of_persons_with_one_record_the_counts_are_those_of_records():
    persons = [person for person in persons_of(NETWORK) if len(person) == 1] * 3
    one = person_family_counts(person_frame(NETWORK, persons), NETWORK, Unit.person("id"), read)
    assert flat(one, NETWORK) == total(NETWORK, persons)


def test_of_more_records_than_count_each_has_the_share_of_those_that_count():
    person = (("0", "0"),) * 5
    tables = person_family_counts(person_frame(NETWORK, [person]), NETWORK, Unit.person("id", "average", 2), read)
    assert flat(tables, NETWORK) == [2 * cell for cell in total(NETWORK, [person])]


def test_the_number_that_is_expected_is_that_of_persons():
    frame = person_frame(NETWORK, everybody())
    person_family_counts(frame, NETWORK, AVERAGE, read, rows=len(everybody()))
    with pytest.raises(DataError, match="declared number of persons") as refused:
        person_family_counts(frame, NETWORK, AVERAGE, read, rows=frame.height)
    assert not any(letter.isdigit() for letter in str(refused.value))


def test_what_is_not_declared_is_refused_also_in_records_that_do_not_count():
    frame = pl.DataFrame({"id": ["p"] * 9, "x0": ["0"] * 8 + ["9"], "x1": ["1"] * 9})
    for seed in range(5):  # whichever record is chosen
        with pytest.raises(DomainError, match="'x0'"):
            person_family_counts(frame, NETWORK, Unit.person("id"), SeededBits(seed).read)


def test_what_is_declared_impossible_is_refused_also_in_records_that_do_not_count():
    variables = [Variable("x0", ["0", "1"]), Variable("x1", ["0", "1"])]
    network = Network(variables, {"x1": ["x0"]}, impossible=[{"x0": "1", "x1": "1"}])
    frame = pl.DataFrame({"id": ["p"] * 9, "x0": ["0"] * 8 + ["1"], "x1": ["1"] * 9})
    for seed in range(5):
        with pytest.raises(DomainError, match="declared impossible"):
            person_family_counts(frame, network, Unit.person("id"), SeededBits(seed).read)


def test_too_many_parts_for_64_bits_are_refused(monkeypatch):
    monkeypatch.setattr("discreet.counts.persons._MOST_PARTS", 27720 * 8)
    with pytest.raises(DataError, match="average of fewer records"):
        person_family_counts(person_frame(NETWORK, everybody()), NETWORK, AVERAGE, read)


PERSONS = [[(1.0, 2.0)], [(0.0, -5.0), (10.0, 5.0)], [(3.0, 1.0), (3.0, 1.5), (99.0, -99.0)]]


def line_frame():
    rows = [(number, *record) for number, person in enumerate(PERSONS) for record in person]
    return pl.DataFrame(rows[::-1], schema=["id", "x", "y"], orient="row")


def steps(record):
    clipped = (min(max(record[0], 0), 10), min(max(record[1], -5), 5))
    return [int(np.floor((clipped[0] - 5) / 5 * 256 + 0.5)), int(np.floor(clipped[1] / 5 * 256 + 0.5))]


def test_moments_equal_a_sum_over_persons():
    found = person_moments(line_frame(), MODEL, AVERAGE, read)
    sums = [sum(Fraction(sum(steps(one)[i] for one in person), len(person)) for person in PERSONS) for i in range(2)]
    products = [
        [
            sum(Fraction(sum(steps(one)[i] * steps(one)[j] for one in person), len(person)) for person in PERSONS)
            for j in (0, 1)
        ]
        for i in (0, 1)
    ]
    assert found.rows == 3
    assert found.sums.tolist() == [27720 * each for each in sums]
    assert found.products.tolist() == [[27720 * each for each in row] for row in products]
    check_moments(found, MODEL)


def test_one_record_of_each_person_has_moments_in_64_bit_integers():
    found = person_moments(line_frame(), MODEL, Unit.person("id"), read)
    assert found.rows == 3
    assert found.parts == 1
    assert found.products.dtype == np.int64
    check_moments(found, MODEL)

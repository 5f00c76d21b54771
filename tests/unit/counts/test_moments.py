"""Moments are exact integers, however many records there are and however they are cut into batches."""

import numpy as np
import polars as pl
import pytest

from discreet import DataError, LinearModel
from discreet.counts import moments as module
from discreet.counts.moments import Moments, moment_numbers, moments, outer_products
from discreet.data.fixed_point import fixed_point_batches


def model(resolution=16, intercept=True, features=3):
    return LinearModel({f"x{i}": (-1, 1) for i in range(features)}, ("y", (-1, 1)), resolution=resolution, intercept=intercept)


def records(rows, columns, seed=1):
    values = np.random.default_rng(seed).uniform(-1.3, 1.3, (rows, columns))
    return pl.DataFrame({name: values[:, place] for place, name in enumerate([f"x{i}" for i in range(columns - 1)] + ["y"])})


def in_python_integers(frame, declared):
    steps = np.concatenate(list(fixed_point_batches(frame, declared.columns, declared.resolution))).astype(object)
    whole = np.vectorize(int, otypes=[object])(steps)
    return [int(total) for total in whole.sum(axis=0)], (whole.T @ whole).tolist()


@pytest.mark.parametrize("resolution", [4, 16, 19, 20])
def test_moments_equal_those_of_python_integers(resolution):
    declared = model(resolution)
    frame = records(20_011, 4)
    sums, products = in_python_integers(frame, declared)
    found = moments(frame, declared)
    assert found.rows == 20_011
    assert found.sums.tolist() == sums
    assert found.products.tolist() == products
    assert found.products.dtype == found.sums.dtype == np.int64


def test_the_worst_records_at_the_finest_resolution_stay_exact():
    """Every product has its largest size and an odd rest: sums in floats without blocks would lose the last bits."""
    declared = model(20, features=1)
    values = np.full(70_000, (2**20 - 1) / 2**20)
    found = moments(pl.DataFrame({"x0": values, "y": -values}), declared)
    largest = 70_000 * (2**20 - 1) ** 2
    assert found.products.tolist() == [[largest, -largest], [-largest, largest]]


def test_a_block_is_never_longer_than_a_float_can_add_up():
    """2^14 records whose products sum to an odd number above 2^53, which no float holds, in whatever order it is summed."""
    values = np.ones(2**14)
    values[-1] = 2.0**-20
    found = moments(pl.DataFrame({"x0": values, "y": values}), model(20, features=1))
    assert found.products.tolist() == [[(2**14 - 1) * 4**20 + 1] * 2] * 2


def test_blocks_that_are_too_long_would_not_be_exact(monkeypatch):
    """The planted fault that the test above must catch."""
    monkeypatch.setattr(module, "_BLOCK_ROWS", 2**30)
    monkeypatch.setattr(module, "_EXACT_BITS", 80)
    declared = model(20, features=1)
    generator = np.random.default_rng(4)
    values = (2**20 - 1 - 2 * generator.integers(0, 50, 70_000)) / 2**20
    frame = pl.DataFrame({"x0": values, "y": values})
    assert moments(frame, declared).products.tolist() != in_python_integers(frame, declared)[1]


def test_files_and_frames_have_the_same_moments(tmp_path):
    frame = records(150_000, 4)
    frame.write_parquet(tmp_path / "records.parquet")
    one, other = moments(frame, model()), moments(tmp_path / "records.parquet", model())
    assert one.products.tolist() == other.products.tolist()
    assert one.sums.tolist() == other.sums.tolist()


def test_more_records_than_64_bits_can_hold_are_refused(monkeypatch):
    monkeypatch.setattr(module, "_LARGEST_BITS", 40)
    assert moments(records(2**8, 4), model()).rows == 2**8
    with pytest.raises(DataError, match="smaller resolution"):
        moments(records(2**8 + 1, 4), model())


def test_values_that_were_not_clipped_are_a_defect_that_shows(monkeypatch):
    for bad in (2.0**16 + 1, -(2.0**16) - 1, np.nan):
        monkeypatch.setattr(module, "fixed_point_batches", lambda *_, bad=bad, **__: iter([np.full((2, 4), bad)]))
        with pytest.raises(RuntimeError, match="outside the declared bounds"):
            moments(records(2, 4), model())


def test_moments_are_not_printed():
    found = moments(records(100, 4), model())
    assert isinstance(found, Moments)
    for private in (*found.sums.ravel(), *found.products.ravel()):
        assert str(int(private)) not in repr(found)


def test_outer_products_are_those_of_records_with_a_constant():
    declared = model()
    frame = records(50, 4)
    (steps,) = fixed_point_batches(frame, declared.columns, declared.resolution)
    whole = [[2**16, *(int(value) for value in row)] for row in steps]
    expected = [[sum(row[i] * row[j] for row in whole) for j in range(5)] for i in range(5)]
    found = outer_products(moments(frame, declared), declared)
    assert found == expected
    plain = model(intercept=False)
    assert outer_products(moments(frame, plain), plain) == [row[1:] for row in expected[1:]]


@pytest.mark.parametrize("intercept", [True, False])
def test_the_measured_moments_are_the_upper_triangle(intercept):
    declared = model(intercept=intercept)
    found = moments(records(50, 4), declared)
    outer = outer_products(found, declared)
    expected = [entry for place, row in enumerate(outer) for entry in row[place:]]
    numbers = moment_numbers(found, declared)
    assert numbers.tolist() == expected[int(intercept) :]
    assert numbers.dtype == np.int64

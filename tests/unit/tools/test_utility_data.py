"""Splits with few training records, and who predicts without looking at a feature."""

from importlib import import_module
from pathlib import Path

import numpy as np
import polars as pl
import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def data(monkeypatch, tmp_path):
    """The care survey is a table of 1,000 records here; of the other files there are none."""
    monkeypatch.syspath_prepend(ROOT)
    module = import_module("benchmarks.utility_data")
    answers = np.random.default_rng(7).random((1000, 16)) < 0.2
    pl.DataFrame({f"x{number}": answers[:, number].astype(int) for number in range(16)}).write_parquet(
        tmp_path / "nltcs.parquet"
    )
    monkeypatch.setattr(module, "public_data", lambda: tmp_path)
    module._nltcs.cache_clear()
    yield module
    module._nltcs.cache_clear()


@pytest.fixture
def contenders(data):
    return import_module("benchmarks.utility_contenders")


def test_few_records_train_and_the_same_records_test(data):
    few, all_of_them = (data.task(name, 2003) for name in ("nltcs-500", "nltcs"))
    assert (few.train.height, all_of_them.train.height) == (500, 800)
    assert few.train.equals(all_of_them.train[:500])
    assert few.test.equals(all_of_them.test)
    assert few.network == all_of_them.network


def test_few_records_are_at_hand_where_their_file_is(data):
    assert data.at_hand("nltcs-500")
    assert not data.at_hand("adult-500")


def test_every_real_table_is_also_tried_with_few_records(data):
    whole = {name for name in data.DATA if "-" not in name}
    assert {f"{name}-500" for name in whole - {"paper"}} == set(data.DATA) - whole


def test_a_coin_is_right_half_of_the_time_whatever_is_frequent(data, contenders):
    task = data.task("nltcs-500", 2003)
    tossed = contenders.CONTENDERS["coin"].predict(task, "1", 2003)
    accuracy, loss = import_module("benchmarks.utility")._scored(tossed, task.truth)
    assert (accuracy, loss) == pytest.approx((0.5, np.log(2)))
    assert task.truth.mean() < 0.4  # an answer that is always the same would be right more often, or less


def test_class_frequencies_are_those_of_the_training_records(data, contenders):
    task = data.task("nltcs-500", 2003)
    share = (task.train["x5"] == "1").mean()
    assert share != (task.test["x5"] == "1").mean()
    found = contenders.CONTENDERS["class frequencies"].predict(task, "1", 2003)
    assert found == pytest.approx(np.tile([1 - share, share], (task.test.height, 1)))


def test_neither_is_private(contenders):
    for name in (contenders.COIN, contenders.FREQUENCIES):
        assert contenders.CONTENDERS[name].guarantee == contenders.NOT_PRIVATE

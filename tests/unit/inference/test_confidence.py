import numpy as np
import polars as pl
import pytest

from discreet.errors import DataError, DomainError, QueryError
from discreet.inference import confidence
from discreet.inference.confidence import confidence_table
from discreet.kernel.ledger import Ledger
from discreet.mechanisms.knorm import KNorm
from discreet.mechanisms.pipeline import release
from discreet.model.network import Network
from discreet.model.templates import naive_bayes
from discreet.model.variable import Variable
from discreet.posterior import DirichletPosterior, PointPosterior


def test_the_table_says_what_a_prediction_was_and_what_is_true():
    point = PointPosterior(naive_bayes("class", ["a"]), {"class": [[0.5, 0.5]], "a": [[0.9, 0.1], [0.4, 0.6]]})
    records = pl.DataFrame({"class": ["0", "1", "0", "1"], "a": ["0", "0", "1", "1"]})
    table = confidence_table(point, records, "class")
    assert table["truth"].to_list() == ["first", "second", "first", "second"]
    for place, odds in zip(table["log_odds"].cast(pl.Int64), [np.log(4 / 9)] * 2 + [np.log(6)] * 2, strict=True):
        assert confidence._EDGES[place - 1] <= odds < confidence._EDGES[place]


def test_records_are_read_as_a_release_reads_them(honest):
    """Nobody is told to leave records out: the number of rows is published."""
    records = honest.sample(10, np.random.default_rng(0)).with_columns(pl.all().cast(pl.String))
    with pytest.raises(DataError, match="'class'"):
        confidence_table(honest, records.drop("class"), "class")
    for node in ("class", "d"):
        gap = records.with_columns(pl.when(pl.int_range(10) == 3).then(None).otherwise(pl.col(node)).alias(node))
        with pytest.raises(DomainError, match=f"{node!r} has missing values.*Do not drop"):
            confidence_table(honest, gap, "class")


def test_a_gap_is_a_level_of_its_own_where_one_is_declared():
    network = naive_bayes("class", {"a": ("0", "1", "unknown")})
    point = PointPosterior(network, {"class": [[0.5, 0.5]], "a": [[0.5, 0.4, 0.1], [0.1, 0.1, 0.8]]})
    records = pl.DataFrame({"class": ["1", "1"], "a": [None, "unknown"]})
    table = confidence_table(point, records, "class", missing="unknown")
    assert table.row(0) == table.row(1) == (table["log_odds"][0], "second")


def test_a_posterior_that_holds_exact_counts_is_refused(boastful):
    """The rows of all records would depend on each of those that were added."""
    point, records = boastful
    released = release(records, point.network, KNorm("1"), ledger=Ledger.unlimited())
    assert confidence_table(released.posterior, records, "class").height == records.height
    for posterior in (DirichletPosterior(point.network), released.plugin, released.posterior):
        with pytest.raises(QueryError, match="exact counts"):
            confidence_table(posterior.update(records), records, "class")


def test_a_level_that_the_network_calls_impossible_can_be_judged():
    sure = PointPosterior(naive_bayes("class", ["a"]), {"class": [[0.5, 0.5]], "a": [[1.0, 0.0], [0.5, 0.5]]})
    table = confidence_table(sure, pl.DataFrame({"class": ["1", "0"], "a": ["1", "0"]}), "class")
    assert table["truth"].to_list() == ["second", "first"]
    assert table["log_odds"].to_list() == [str(len(confidence._EDGES)), "9"]  # certain; log-odds log 1/2


def test_the_row_of_a_record_does_not_depend_on_the_others(boastful):
    posterior, records = boastful
    table = confidence_table(posterior, records[:300], "class")
    for number in range(0, 300, 17):
        assert confidence_table(posterior, records[number : number + 1], "class").row(0) == table.row(number)
    assert confidence_table(posterior, records[:300].reverse(), "class").equals(table.reverse())


def test_only_targets_of_two_levels_are_judged():
    three = PointPosterior(Network([Variable("class", ["a", "b", "c"])], {}), {"class": [[0.5, 0.3, 0.2]]})
    with pytest.raises(QueryError, match="two levels; 'class' has 3"):
        confidence_table(three, pl.DataFrame({"class": ["a"]}), "class")


def test_a_target_of_too_many_tables_is_refused(honest, monkeypatch):
    monkeypatch.setattr(confidence, "_MOST_TABLES", 0)
    with pytest.raises(QueryError, match="too many children"):
        confidence_table(honest, honest.sample(10, np.random.default_rng(0)).with_columns(pl.all().cast(pl.String)), "class")
    assert abs(confidence._LEAST_LOG) / confidence._STEP * 2**12 < 2**63

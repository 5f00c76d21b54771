from fractions import Fraction

import polars as pl
import pytest

import discreet as dc
from discreet import DomainError, FormatError, Laplace, Ledger, MapPoint, Network, Variable, load, release
from discreet.errors import QueryError

NETWORK = Network([Variable("a", ["no", "yes"]), Variable("b", ["0", "1"])], {"b": ["a"]})
DATA = pl.DataFrame({"a": ["yes", "no", "yes"], "b": ["0", "1", "0"]})


@pytest.fixture
def made():
    return release(DATA, NETWORK, Laplace("1/2"), ledger=Ledger.unlimited())


def own_caveats(result):
    return [caveat.text for caveat in result.caveats if caveat.name == "own-records"]


def test_own_records_are_added_exactly_and_the_guarantee_stays(made):
    updated = made.update(DATA)
    assert (updated.plugin.concentration("a") - made.plugin.concentration("a")).tolist() == [[1, 2]]
    assert updated.guarantee.epsilon == Fraction(1, 2)
    assert updated.receipts == made.receipts


def test_the_caveat_says_how_many_records_nothing_protects(made):
    assert own_caveats(made) == []
    once = made.update(DATA)
    assert len(own_caveats(once)) == 1
    assert own_caveats(once)[0].startswith("3 records were added exactly and are protected by nothing")
    assert "1 record was added" in own_caveats(made.update(DATA.head(1)))[0]


def test_records_added_twice_are_one_caveat_with_their_sum(made):
    twice = made.update(DATA).update(DATA.head(2))
    assert len(own_caveats(twice)) == 1
    assert own_caveats(twice)[0].startswith("5 records")
    assert set(made.caveats) < set(twice.caveats)


def test_an_updated_release_survives_its_file(made, tmp_path):
    updated = made.update(DATA)
    updated.save(tmp_path / "updated.json")
    again = load(tmp_path / "updated.json")
    assert own_caveats(again) == own_caveats(updated)
    assert (again.plugin.concentration("b") == updated.plugin.concentration("b")).all()


def test_missing_values_and_progress_are_passed_on(made):
    gaps = DATA.with_columns(b=pl.lit(None, pl.String))
    with pytest.raises(DomainError):
        made.update(gaps)
    told = []
    updated = made.update(gaps, missing="1", progress=told.append)
    assert updated.plugin.own.tables["b"].tolist() == [[0, 1], [0, 2]]
    assert told == [3]


def test_a_release_is_updated_asked_and_saved_like_any_other(made, tmp_path):
    """The way of the command, in Python: guarantee, receipts and caveats stay with the file."""
    made.save(tmp_path / "steward.json")
    updated = load(tmp_path / "steward.json").update(DATA)
    updated.save(tmp_path / "updated.json")
    again = load(tmp_path / "updated.json")
    assert (again.guarantee, again.receipts, again.mechanism) == (made.guarantee, made.receipts, made.mechanism)
    assert set(made.caveats) < set(again.caveats)
    assert own_caveats(again)[0].startswith("3 records")
    assert again.posterior.own.rows == 3
    assert again.posterior.query("a", interval=None).to_dict() == updated.posterior.query("a", interval=None).to_dict()


def test_a_release_that_takes_no_records_says_so():
    point = release(DATA, NETWORK, MapPoint("1"), ledger=Ledger.unlimited())
    with pytest.raises(QueryError, match="can take records of your own"):
        point.update(DATA)


def test_saving_does_not_replace_a_file_unasked(made, tmp_path):
    path = tmp_path / "x.json"
    made.save(path)
    with pytest.raises(FormatError, match=r"exists.*overwrite=True") as caught:
        made.update(DATA).save(path)
    assert "still in memory" in caught.value.__notes__[0]
    assert own_caveats(load(path)) == []
    made.update(DATA).save(path, overwrite=True)
    assert len(own_caveats(load(path))) == 1


@pytest.mark.slow
def test_a_prior_that_learns_learns_from_ones_own_records_alone():
    """No release is needed. A row that was never seen is believed to be as the others are, and the others are as counted."""
    network = Network([Variable("a", ["1", "2", "3", "4"]), Variable("b", ["x", "y"])], {"b": ["a"]})
    own = pl.DataFrame({"a": ["1", "2", "3"] * 300, "b": ["x"] * 810 + ["y"] * 90})
    posterior = dc.NoiseAwarePosterior(network).update(own)
    counted = dc.DirichletPosterior(network).update(own)
    assert posterior.mean("b")[:3] == pytest.approx(counted.mean("b")[:3], abs=0.01)
    assert counted.mean("b")[3, 0] == 0.5
    assert posterior.mean("b")[3, 0] > 0.75

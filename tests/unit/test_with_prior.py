"""A prior of the third party's own, in the place of the one in the file."""

import json

import numpy as np
import polars as pl
import pytest
from support.bits import SeededBits
from support.regressions import line_release

import discreet as dc
from discreet.release_file.document import read_value, release_to_json

NETWORK = dc.naive_bayes("y", ["a", "b"])
DATA = pl.DataFrame({"y": ["0", "1", "1"] * 20, "a": ["0", "1", "0"] * 20, "b": ["1", "1", "0"] * 20})


def made(mechanism=None, seed=1, **options):
    mechanism = mechanism or dc.Laplace("1")
    return dc.release(DATA, NETWORK, mechanism, ledger=dc.Ledger.unlimited(), _bits=SeededBits(seed), **options)


@pytest.fixture
def file(tmp_path):
    made().save(tmp_path / "x.json")
    return tmp_path / "x.json"


@pytest.mark.parametrize("word", ["jeffreys", "uniform", "bdeu:10", "hierarchical"])
def test_the_posteriors_of_a_file_are_those_that_a_release_with_this_prior_has(tmp_path, word):
    made(prior=dc.BDeu(4)).save(tmp_path / "x.json")
    ours, declared = dc.load(tmp_path / "x.json", prior=word), made(prior=word)
    assert ours.posterior.prior == ours.plugin.prior == declared.value.prior
    for node in NETWORK.nodes:
        np.testing.assert_array_equal(ours.plugin.concentration(node), declared.plugin.concentration(node))


def test_guarantee_and_receipts_stay_and_the_release_says_whose_prior_it_has(file):
    before = dc.load(file)
    after = before.with_prior("jeffreys")
    assert (after.guarantee, after.receipts, after.mechanism) == (before.guarantee, before.receipts, before.mechanism)
    assert after.posterior.released is before.posterior.released
    assert {each.name for each in after.caveats} - {each.name for each in before.caveats} == {"holders-prior"}
    assert len(after.with_prior("bdeu").caveats) == len(after.caveats)
    assert before.with_prior(dc.Hierarchical()) is before  # its own


def test_a_saved_release_has_the_new_prior_and_the_same_numbers(file, tmp_path):
    dc.load(file, prior=dc.BDeu(10)).save(tmp_path / "y.json")
    old, new = json.loads(file.read_text()), json.loads((tmp_path / "y.json").read_text())
    assert new["prior"] == {"kind": "bdeu", "sample_size": 10.0}
    assert {name for name in old if old[name] != new[name]} == {"prior", "caveats", "digest"}
    assert dc.load(tmp_path / "y.json").posterior.prior == dc.BDeu(10)


def test_records_of_ones_own_stay(file):
    updated = dc.load(file).update(DATA).with_prior("jeffreys")
    assert updated.posterior.own.rows == 60
    assert any(each.name == "own-records" for each in updated.caveats)


def test_a_public_posterior_can_be_the_prior_and_the_release_warns_of_it(file):
    other = made(seed=2, prior="uniform")
    both = dc.load(file, prior=other.plugin)
    np.testing.assert_array_equal(both.posterior.prior.concentration(NETWORK.family("a")), other.plugin.concentration("a"))
    assert [each.name for each in both.caveats[-2:]] == ["holders-prior", "prior-release"]
    assert "prior-release" not in [each.name for each in both.with_prior("uniform").caveats]


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (made(), "write prior=release.posterior"),
        (made().plugin.update(DATA), "exact counts of added records"),
        (dc.DirichletPosterior(dc.naive_bayes("y", ["a"])), "another network"),
        (dc.TablePrior(dc.naive_bayes("y", ["a"]), {"y": [1, 1], "a": [[1, 1]] * 2}), "no table for 'b'"),
        ("jefreys", "Did you mean 'jeffreys'"),
        (3, "is not a prior"),
    ],
    ids=["release", "updated", "smaller", "tables", "word", "number"],
)
def test_what_cannot_be_the_prior_is_refused(file, prior, message):
    with pytest.raises(dc.ModelError, match=message):
        dc.load(file, prior=prior)


@pytest.mark.parametrize("mechanism", [dc.Sampler("1"), dc.MapPoint("1")], ids=["draws", "point"])
def test_draws_and_points_keep_their_prior(mechanism):
    with pytest.raises(dc.ModelError, match="draws and points were made with theirs"):
        made(mechanism).with_prior("jeffreys")


def test_linear_models_keep_their_prior():
    with pytest.raises(dc.ModelError, match="linear models declare their own"):
        line_release(30).with_prior("jeffreys")


def test_a_network_with_probabilities_has_no_prior_to_change(tmp_path):
    (tmp_path / "x.bif").write_text(
        "network x { } variable a { type discrete [ 2 ] { no, yes }; } probability ( a ) { table 0.4, 0.6; }"
    )
    with pytest.raises(dc.ModelError, match="which has no prior"):
        read_value(tmp_path / "x.bif", prior=dc.UNIFORM)


@pytest.mark.parametrize("mechanism", [dc.Sampler("1"), dc.MapPoint("1")], ids=["draws", "point"])
def test_a_file_of_draws_or_points_with_a_prior_that_learns_is_refused(tmp_path, mechanism):
    from discreet.release_file.document import digest

    content = release_to_json(made(mechanism))
    content["prior"] = release_to_json(made())["prior"]
    assert content["prior"]["kind"] == "hierarchical"
    (tmp_path / "x.json").write_text(json.dumps(content | {"digest": digest(content)}))
    with pytest.raises(dc.FormatError, match="draws and points are not made with"):
        dc.load(tmp_path / "x.json")


@pytest.mark.fast("plugin")
@pytest.mark.parametrize("which", ["plugin", "posterior"])
def test_a_release_is_not_its_own_prior(file, which):
    """Read twice, changed or not: the same numbers are the same records."""
    release = dc.load(file)
    for prior in (getattr(release, which), getattr(dc.load(file, prior="jeffreys"), which)):
        with pytest.raises(dc.ModelError, match="whose records would count twice"):
            release.with_prior(prior)


def test_who_has_a_line_is_not_sent_for_noisy_counts():
    with pytest.raises(dc.ModelError, match=r"or have it learned\. Leave it out") as refused:
        line_release(30).with_prior("jeffreys")
    assert "counts" not in str(refused.value)


def test_the_name_of_a_file_is_answered_with_how_to_read_it(file):
    with pytest.raises(dc.ModelError, match=r"write prior=discreet.load\('last.json'\).posterior"):
        dc.load(file, prior="last.json")


def test_a_posterior_shows_the_prior_that_it_believes(file):
    release = dc.load(file, prior="jeffreys")
    for posterior in (release.posterior, release.plugin):
        assert "prior    Symmetric(0.5)" in repr(posterior)

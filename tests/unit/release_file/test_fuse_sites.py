"""Releases of sites that differ: what is asked of them, how different they are, and their file."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from support.bits import SeededBits
from support.files import check_schema, content_of, forged

import discreet as dc
from discreet.posterior.running import Running
from discreet.release_file.facts import facts

NETWORK = dc.Network([dc.Variable("a", list("01")), dc.Variable("b", list("012"))], {"b": ["a"]})
QUICK = dc.Effort(chains=4, warm_up=20, rounds=40)


def made(seed, first):
    """Records of which so many in ten have the first level of a; b goes with a alike everywhere."""
    a = ["0"] * (60 * first) + ["1"] * (60 * (10 - first))
    records = pl.DataFrame({"a": a, "b": [("0", "1", "2")[(place + (value == "1")) % 3] for place, value in enumerate(a)]})
    return dc.release(records, NETWORK, dc.Laplace("4"), ledger=dc.Ledger.unlimited(), _bits=SeededBits(seed))


SITES = (made(1, 2), made(2, 5), made(3, 9))
APART = dc.fuse(*SITES, sites_differ=True)


@pytest.fixture(scope="module")
def posterior():
    return replace(APART.posterior, effort=QUICK).prepare()


def test_sites_that_differ_are_told_from_such_that_do_not(posterior):
    found = posterior.site_spread()
    assert [each.node for each in found] == ["a", "b"]
    assert found["a"].lower > 0.15
    assert found["b"].upper < 0.2
    assert all(each.lower <= each.value <= each.upper for each in found)
    assert found.to_dict()["spreads"][0]["node"] == "a"
    assert "one half at a site" in repr(found)
    narrow = posterior.site_spread(0.5)
    assert found["a"].lower < narrow["a"].lower < narrow["a"].upper < found["a"].upper


def test_answers_know_that_sites_differ(posterior):
    apart, alike = posterior.query("a", generator=1), replace(dc.fuse(*SITES).posterior, effort=QUICK).query("a", generator=1)
    assert (apart.upper - apart.lower).max() > 4 * (alike.upper - alike.lower).max()
    assert apart.noise is None
    assert alike.noise is not None
    assert posterior.noise_share("a") is None
    assert posterior.sample(5).height == 5
    assert len(posterior.synthetic(2, rows=5)) == 2
    assert posterior.compare("b", ({"a": "0"}, {"a": "1"})).interval == 0.9


def test_own_records_are_a_further_site():
    own = pl.DataFrame({"a": ["0"] * 400, "b": list("0120") * 100})
    alone = replace(dc.fuse(*SITES[:2], sites_differ=True).posterior, effort=QUICK)
    updated = alone.update(own)
    assert updated.site_spread()["a"].value > alone.site_spread()["a"].value
    assert updated.mean("a")[0, 0] > alone.mean("a")[0, 0]
    assert (updated.interval("a")[1] - updated.interval("a")[0]).max() > 0.2  # 400 records of one site are not 400 of all


def test_the_file_says_that_sites_differ_and_is_read_so(tmp_path):
    APART.save(tmp_path / "apart.json")
    check_schema(APART)
    assert content_of(APART)["statistics"] == {"kind": "fused", "persons": "disjoint", "sites": "differing"}
    assert "sites" not in content_of(dc.fuse(*SITES))["statistics"]
    read = dc.load(tmp_path / "apart.json")
    assert read.posterior.sites_differ
    assert read.posterior.made_effort.rounds == 4 * dc.fuse(*SITES).posterior.made_effort.rounds
    assert dict(facts(read))["sites"] == "differ: the posterior is of what they have in common"
    assert "fused-sites" in {caveat.name for caveat in read.caveats}
    assert read.guarantee == dc.fuse(*SITES).guarantee
    with pytest.raises(dc.FormatError, match="The sites"):
        dc.load(forged(APART, tmp_path / "x.json", lambda content: content["statistics"].update(sites="other")))


def test_what_is_found_is_kept_with_how_sites_differ(tmp_path, monkeypatch):
    monkeypatch.setenv("DISCREET_CACHE", str(tmp_path / "kept"))
    first, second, third = (replace(APART.posterior, effort=QUICK, running=Running(cache=True)) for _ in range(3))
    found, spread = first.concentrations("b"), first.site_spread()
    with monkeypatch.context() as patched:
        patched.setattr("discreet.posterior.noise_aware.visit_together", lambda *given: pytest.fail("ran again"))
        np.testing.assert_array_equal(second.concentrations("b"), found)
        assert second.site_spread().spreads == spread.spreads
    for file in (tmp_path / "kept").rglob("*"):
        if file.is_file():
            file.write_bytes(file.read_bytes()[:-9])  # damaged: the chains run again, and find the same
    assert third.site_spread().spreads == spread.spreads


def test_misuse_is_explained():
    alike = dc.fuse(*SITES)
    with pytest.raises(dc.QueryError, match="taken to be alike"):
        alike.posterior.site_spread()
    with pytest.raises(dc.ModelError, match="Say so here, too: sites_differ=True"):
        dc.fuse(APART, made(4, 5))
    assert len(dc.fuse(APART, made(4, 5), sites_differ=True).parts) == 4
    with pytest.raises(dc.QueryError, match="no node 'z'"):
        replace(APART.posterior, effort=dc.Effort(4, 1, 4)).site_spread()["z"]
    with pytest.raises(dc.DiscreetError):
        replace(APART.posterior, effort=dc.Effort(4, 1, 4)).site_spread(2)

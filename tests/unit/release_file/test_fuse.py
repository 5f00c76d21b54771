"""Releases of different persons become one: what it promises, what it says of each part, and what cannot be fused."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from support.bits import SeededBits
from support.files import check_loaded, check_schema, content_of, forged
from support.regressions import line_release

import discreet as dc
from discreet.measure.together import PublishedTogether
from discreet.posterior.running import Running
from discreet.release_file.document import digest, release_from_json, release_text
from discreet.release_file.facts import facts

NETWORK = dc.Network([dc.Variable("a", list("01")), dc.Variable("b", list("01"))], {"b": ["a"]})
RECORDS = pl.DataFrame({"a": list("0110") * 10, "b": list("0111") * 10, "id": range(40)})
QUICK = dc.Effort(chains=4, warm_up=5, rounds=10)


def made(mechanism=None, seed=1, network=NETWORK, rows=40, **options):
    records, bits = RECORDS.head(rows), SeededBits(seed)
    return dc.release(records, network, mechanism or dc.Laplace("1"), ledger=dc.Ledger.unlimited(), _bits=bits, **options)


ONE, TWO, THREE = made(seed=1), made(dc.KNorm("2"), seed=2, rows=20), made(dc.Gaussian(rho="1"), seed=3)
FUSED = dc.fuse(ONE, TWO)


def test_a_fused_release_has_the_weakest_guarantee_and_says_that_of_each_part():
    assert FUSED.guarantee == dc.PureDP("2")
    assert [part.guarantee for part in FUSED.parts] == [dc.PureDP("1"), dc.PureDP("2")]
    said = dict(facts(FUSED))
    assert said["release 1"] == "40 records, epsilon = 1 (pure differential privacy), by laplace"
    assert said["release 2"] == "20 records, epsilon = 2 (pure differential privacy), by knorm"
    assert said["rows"] == "60"
    assert "each person has the guarantee of the one release" in repr(FUSED).replace("\n", " ").replace("              ", "")


@pytest.mark.parametrize(
    ("parts", "disjoint", "overlapping"),
    [
        ((ONE, TWO), dc.PureDP("2"), dc.PureDP("3")),
        ((ONE, THREE), dc.ZCDP("1"), dc.ZCDP("3/2")),
        ((TWO, THREE), dc.ZCDP("2"), dc.ZCDP("3")),
        ((ONE, TWO, THREE), dc.ZCDP("2"), dc.ZCDP("7/2")),
        ((THREE, TWO, ONE), dc.ZCDP("2"), dc.ZCDP("7/2")),
    ],
    ids=["pure", "pure and concentrated", "weaker pure", "three", "three the other way round"],
)
def test_budgets_add_up_only_where_persons_may_be_in_several(parts, disjoint, overlapping):
    assert dc.fuse(*parts).guarantee == disjoint
    together = dc.fuse(*parts, overlap=True)
    assert together.guarantee == overlapping
    assert {caveat.name for caveat in together.caveats} >= {"fused-overlap"}
    assert {caveat.name for caveat in dc.fuse(*parts).caveats} >= {"fused"}


def test_budgets_for_several_records_of_a_person_stay_what_they_are(tmp_path):
    parts = [made(dc.Laplace(epsilon), seed, rows_at_most=3) for seed, epsilon in ((4, "1/3"), (5, "2/3"))]
    for overlap, epsilon in ((False, max), (True, sum)):
        fused = dc.fuse(*parts, overlap=overlap)
        assert fused.guarantee == dc.PureDP(epsilon(part.guarantee.epsilon for part in parts))
        check_loaded(fused, tmp_path / f"{overlap}.json")


def test_the_prior_counts_once_and_the_tables_of_all_parts_add_up():
    for family in NETWORK.families:
        update = sum(part.value.released.update(family) for part in (ONE, TWO))
        np.testing.assert_allclose(FUSED.plugin.concentration(family.node), 1 + update)


def test_what_is_saved_is_what_is_loaded_and_parts_are_as_they_were(tmp_path):
    again = check_loaded(FUSED, tmp_path / "both.json")
    check_schema(FUSED)
    assert [release_text(part) for part in again.parts] == [release_text(part) for part in (ONE, TWO)]
    assert release_text(again) == release_text(FUSED)
    own = FUSED.with_prior("jeffreys").update(RECORDS.head(5))
    again = check_loaded(own, tmp_path / "own.json")
    assert (again.value.own.rows, again.value.prior) == (5, dc.JEFFREYS)
    assert {caveat.name for caveat in again.caveats} >= {"own-records", "holders-prior", "fused"}


def test_releases_that_were_fused_before_are_fused_again_as_if_at_once():
    apart, at_once = dc.fuse(FUSED, THREE), dc.fuse(ONE, TWO, THREE)
    assert release_text(apart) == release_text(at_once)
    assert dc.fuse(FUSED.with_prior("jeffreys"), THREE.with_prior("jeffreys")).value.prior == dc.JEFFREYS


def test_one_release_alone_is_what_it_was():
    assert dc.fuse(ONE) is ONE
    assert dc.fuse(ONE, prior="jeffreys").value.prior == dc.JEFFREYS


def test_a_prior_of_ones_own_replaces_those_of_all_parts_and_it_is_said():
    other = made(seed=9, prior="uniform")
    fused = dc.fuse(ONE, other, prior="uniform")
    assert fused.value.prior == dc.UNIFORM
    assert "holders-prior" in {caveat.name for caveat in fused.caveats}
    assert "holders-prior" not in {caveat.name for caveat in FUSED.caveats}
    older = made(seed=11)
    assert "prior-release" in {caveat.name for caveat in dc.fuse(ONE, TWO, prior=older.plugin).caveats}
    with pytest.raises(dc.ModelError, match="posterior of this very release"):
        dc.fuse(ONE, TWO, prior=TWO.plugin)


OTHERS = {
    "levels": dc.Network([dc.Variable("a", list("01")), dc.Variable("b", list("012"))], {"b": ["a"]}),
    "nodes": dc.Network([dc.Variable("a", list("01"))]),
    "parents": dc.Network([dc.Variable("a", list("01")), dc.Variable("b", list("01"))], {"a": ["b"]}),
    "learned": dc.Network([dc.Variable("a", list("01")), dc.Variable("b", list("01"))], {"b": ["a"]}, learned=True),
    "order": dc.Network([dc.Variable("b", list("01")), dc.Variable("a", list("01"))], {"b": ["a"]}),
    "impossible": dc.Network(NETWORK.variables, {"b": ["a"]}, impossible=[{"a": "1", "b": "0"}]),
    "read": dc.Network([dc.Variable("a", list("01")), dc.Variable("b", list("01"), dc.Reading(column="B"))], {"b": ["a"]}),
}
SAID = {
    "levels": "different levels of 'b': only the second has '2'",
    "nodes": "has a node 'b'",
    "parents": "'a' has different parents, or the same in another order: only the second has 'b'",
    "learned": "was learned from records",
    "order": "in different orders",
    "impossible": "different combinations impossible",
    "read": "read the values of 'b' differently: only one of them says",
}


@pytest.mark.parametrize("what", OTHERS)
def test_releases_of_unequal_networks_are_refused_with_what_differs(what):
    records = RECORDS.filter((pl.col("a") == "0") | (pl.col("b") == "1")).with_columns(B=pl.col("b"))
    other = dc.release(records, OTHERS[what], dc.Laplace("1"), ledger=dc.Ledger.unlimited())
    with pytest.raises(dc.ModelError, match="cannot be fused: they are not of one network") as refused:
        dc.fuse(ONE, other)
    assert SAID[what] in str(refused.value)


REFUSED = {
    "nothing": (list, "Give the releases to fuse"),
    "a path": (lambda: [ONE, "two.json"], r"is not a release. Load its file first"),
    "the same twice": (lambda: [ONE, TWO, ONE], "Releases 1 and 3 are one and the same"),
    "the same with another prior": (lambda: [ONE, ONE.with_prior("jeffreys")], "one and the same"),
    "a part of a fused one": (lambda: [FUSED, TWO], "Releases 2 and 3 are one and the same"),
    "draws": (lambda: [ONE, made(dc.Sampler("1"))], "Release 2 holds draws or a point"),
    "a point": (lambda: [made(dc.MapPoint("1")), ONE], "Release 1 holds draws or a point"),
    "a line": (lambda: [line_release(), ONE], "Release 1 is about a linear model"),
    "own records": (lambda: [ONE, TWO.update(RECORDS)], "Release 2 holds records that its holder added"),
    "own records of a fused one": (lambda: [FUSED.update(RECORDS), THREE], "holds records that its holder added"),
    "other priors": (lambda: [ONE, made(seed=7, prior="uniform")], r"different priors: Hierarchical\(\) and Symmetric\(1.0\)"),
    "other units": (lambda: [ONE, made(seed=7, person="id")], "protect different units: 'one record', 'one person"),
    "other groups": (lambda: [made(seed=6, rows_at_most=2), made(seed=7, rows_at_most=3)], "protect different units"),
    "overlap that is hidden": (lambda: [dc.fuse(ONE, TWO, overlap=True), THREE], "Say so here, too: overlap=True"),
    "a combination": (lambda: [ONE.combine(TWO), THREE], "Release 1 holds draws or a point"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_fused_is_refused_with_the_reason(what):
    give, said = REFUSED[what]
    with pytest.raises(dc.ModelError, match=said):
        dc.fuse(*give())
    if what.startswith("the same"):
        with pytest.raises(dc.ModelError, match=said):
            dc.fuse(*give(), overlap=True)


def test_concentrated_and_approximate_guarantees_together_are_refused():
    approximate = replace(ONE, guarantee=dc.ApproxDP("1", "1e-6"))
    for overlap in (False, True):
        with pytest.raises(dc.BudgetError, match="no exact one in common"):
            dc.fuse(approximate, THREE, overlap=overlap)
    assert dc.fuse(approximate, TWO).guarantee == dc.ApproxDP("2", Fraction("1e-6"))


def test_persons_of_columns_with_different_names_can_be_fused():
    named = dc.release(RECORDS.rename({"id": "pid"}), NETWORK, dc.Laplace("1"), ledger=dc.Ledger.unlimited(), person="pid")
    fused = dc.fuse(made(seed=4, person="id"), named)
    assert fused.unit == dc.Unit.person("id")
    assert "protects one person" in dict(facts(fused))["release 2"]
    release_text(fused)


def test_data_sets_of_one_name_are_noticed_where_budgets_do_not_add_up(tmp_path):
    def charged(ledger, dataset):
        ledger = dc.Ledger(tmp_path / ledger, cap="5", dataset=dataset)
        return dc.release(RECORDS, NETWORK, dc.Laplace("1"), ledger=ledger)

    names = {True: "fused-data-set"}
    same, other = charged("a.ledger", "2024"), charged("a.ledger", "2024")
    assert names[True] in {caveat.name for caveat in dc.fuse(same, other).caveats}
    assert names[True] not in {caveat.name for caveat in dc.fuse(same, other, overlap=True).caveats}
    assert names[True] not in {caveat.name for caveat in dc.fuse(same, charged("a.ledger", "2025")).caveats}
    assert names[True] not in {caveat.name for caveat in FUSED.caveats}


def change_part(change):
    """Change a part so that its own digest fits again."""

    def apply(content):
        change(content["parts"][1])
        content["parts"][1]["digest"] = digest(content["parts"][1])

    return apply


FORGED = {
    "a stronger guarantee": (lambda c: c["guarantee"].update(epsilon="1"), "its guarantee or its number"),
    "a weaker guarantee": (lambda c: c["guarantee"].update(epsilon="3"), "its guarantee or its number"),
    "overlap taken back": (lambda c: c["statistics"].update(persons="overlapping"), "its guarantee or its number"),
    "more records": (lambda c: c.update(rows=61), "its guarantee or its number"),
    "one part": (lambda c: c["parts"].pop(), "does not have the parts"),
    "no parts": (lambda c: c.pop("parts"), "does not have the parts"),
    "parts that are no list": (lambda c: c.update(parts={}), "must be a list"),
    "a part twice": (lambda c: c["parts"].__setitem__(1, c["parts"][0]), "one and the same"),
    "a part that is none": (lambda c: c["parts"].__setitem__(0, 7), "Part 1: This is not a release file"),
    "an edited part": (lambda c: c["parts"][1].update(rows=21), "Part 2: The release file was damaged or edited"),
    "less noise than was paid for": (
        change_part(lambda c: c["statistics"]["bundles"][0].update(epsilon="1")),
        "Part 2: The noise in the release file does not fit its guarantee",
    ),
    "parts of parts": (lambda c: c["parts"][0].update(parts=[]), "has parts itself"),
    "fewer receipts": (lambda c: c["receipts"].pop(), "are not those of its parts"),
    "another receipt": (lambda c: c["receipts"][0].update(number=2), "are not those of its parts"),
    "another network": (lambda c: c["network"]["variables"][0].update(levels=["0", "2"]), "published of one network"),
    "another mechanism": (lambda c: c["mechanism"].update(name="laplace"), "are not those of its mechanism"),
    "another number of parts": (lambda c: c["mechanism"]["parameters"].update(releases="3"), "does not have the parts"),
    "words of its own": (lambda c: c["statistics"].update(persons="some"), "The persons"),
}


@pytest.mark.parametrize("fault", FORGED)
def test_a_forged_file_is_refused(tmp_path, fault):
    change, said = FORGED[fault]
    with pytest.raises(dc.FormatError, match=said):
        dc.load(forged(FUSED, tmp_path / "forged.json", change))


def test_parts_in_a_file_of_another_kind_are_refused(tmp_path):
    with pytest.raises(dc.FormatError, match="unknown entry 'parts'"):
        dc.load(forged(ONE, tmp_path / "x.json", lambda c: c.update(parts=[content_of(ONE), content_of(TWO)])))


def test_a_file_with_parts_in_parts_without_end_is_refused():
    content = content_of(FUSED)
    for _ in range(200):
        content = {**content, "parts": [content]}
        content["digest"] = digest(content)
    with pytest.raises(dc.FormatError, match="has parts itself"):
        release_from_json(content)


def test_a_part_about_a_line_is_refused_in_a_file(tmp_path):
    def put(content):
        content["parts"][0] = content_of(line_release())
        content["receipts"] = [receipt for part in content["parts"] for receipt in part["receipts"]]

    with pytest.raises(dc.FormatError, match="do not fit together: Release 1 is about a linear model"):
        dc.load(forged(FUSED, tmp_path / "x.json", put))


def test_a_fused_posterior_answers_predicts_samples_and_compares():
    posterior = replace(FUSED.posterior, effort=QUICK)
    assert isinstance(posterior.released, PublishedTogether)
    assert posterior.query("b", {"a": "1"})["1"] > 0.5
    assert posterior.predict(RECORDS.drop("b"), "b") == posterior.predict(RECORDS, "b")
    assert posterior.sample(7).height == 7
    assert len(dc.compare_posteriors(replace(ONE.posterior, effort=QUICK), posterior)) == 3
    assert json.loads(json.dumps(posterior.query("a").to_dict()))
    assert "60 released" in repr(posterior)
    assert posterior.update(RECORDS).own.rows == 40


def test_what_chains_find_about_a_fused_release_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("DISCREET_CACHE", str(tmp_path / "kept"))
    first, second = (replace(FUSED.posterior, effort=QUICK, running=Running(cache=True)) for _ in range(2))
    found = first.concentrations("b")
    monkeypatch.setattr("discreet.posterior.noise_aware.visit_together", lambda *given: pytest.fail("ran again"))
    np.testing.assert_array_equal(second.concentrations("b"), found)
    again = replace(dc.fuse(ONE, THREE).posterior, effort=QUICK, running=Running(cache=True))
    with pytest.raises(pytest.fail.Exception):
        again.concentrations("b")


def test_a_fused_release_has_a_page_and_an_export(tmp_path):
    released = replace(FUSED, value=FUSED.value)
    released.__dict__["posterior"] = replace(FUSED.posterior, effort=QUICK)
    page = released.to_html()
    assert "release 1" in page
    dc.export(released, tmp_path / "x.bif")
    assert "epsilon = 2" in (tmp_path / "x.bif").read_text("utf-8")

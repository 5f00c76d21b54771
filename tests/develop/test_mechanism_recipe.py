"""docs/develop/mechanism.md, followed: three new files, and the toy goes the whole way; what is planted in it is stopped."""

from dataclasses import replace

import pytest
from support.bits import FailingBits
from support.files import check_schema, content_of, forged
from support.mechanisms import DATA, NETWORK
from support.recipes import edits, even_shares, follow, new_files, run, run_tests, tool

import discreet as dc
from discreet.counts import family_counts
from discreet.measure.measurement import Statistic
from discreet.release_file.document import release_from_json, release_text
from discreet.releases import MechanismRecord

RECIPE = "mechanism.md"
HONEST = "2 * len(families) / epsilon"
FAULTS = {
    "too little noise": (HONEST, "len(families) / epsilon", "noise in the release file does not fit its guarantee"),
    "too much noise": (HONEST, "4 * len(families) / epsilon", "noise in the release file does not fit its guarantee"),
    "a family left out": (
        "in families)",
        "in families[:0] or [network.family(network.nodes[0])])",
        "not those of its network",
    ),
    "another's name": ('return "even-shares"', 'return "fourier"', "could not be saved"),
    "a contrast": ("Statistic.COUNTS", "Statistic.CONTRAST", "cannot be published together"),
}


@pytest.fixture
def ledger(tmp_path):
    return dc.Ledger(tmp_path / "ledger", cap="1")


def planted(fault):
    before, after, _ = FAULTS[fault]
    return lambda text: text.replace(before, after)


def test_a_mechanism_is_three_new_files_and_no_edit():
    assert len(new_files(RECIPE)) == 3
    assert [(path, len(lines)) for path, lines in edits(RECIPE).items()] == [("src/discreet/mechanisms/auto.py", 2)]


@pytest.mark.slow
def test_the_tests_of_the_recipe_pass_and_fail_where_a_fault_is_planted(tmp_path):
    done = run_tests(RECIPE, follow(RECIPE, tmp_path / "honest"))
    assert done.returncode == 0, done.stdout + done.stderr
    done = run_tests(RECIPE, follow(RECIPE, tmp_path / "greedy", change=planted("too little noise")))
    assert done.returncode == 1
    failed = done.stdout.partition("short test summary")[2]
    for name in ("cost_epsilon_exactly", "likelier_than_epsilon_allows", "charged_saved_and_asked"):
        assert name in failed


@pytest.mark.slow
def test_what_the_checks_of_the_house_ask_for_is_there(tmp_path, monkeypatch):
    folder, check_layers, check_claims = follow(RECIPE, tmp_path, offer=True), tool("check_layers"), tool("check_claims")
    assert check_layers.offences(check_layers.read_tree(folder / "src" / "discreet")) == []
    monkeypatch.setattr(check_claims, "ROOT", folder)
    monkeypatch.setattr(check_claims, "SOURCE", folder / "src" / "discreet")
    for path in (folder / path for path in new_files(RECIPE) if path.startswith("src/")):
        assert [*check_claims.claim_offences(path), *check_claims.size_offences(path)] == []
        path.write_text(path.read_text().replace("Checked by: tests/unit/mechanisms/test_even_shares", "Checked by: tests/no"))
        assert list(check_claims.claim_offences(path)) != []


def test_who_is_offered_to_everybody_is_planned_chosen_and_named(tmp_path):
    script = """
import discreet as dc
network = dc.naive_bayes("y", ["a", "b"])
assert "even-shares" in [each.mechanism for each in dc.plan(network, rows=1000, epsilon="1")]
assert "even-shares" in dc.Auto("1").choose(network, 1000).errors
table = {node: ["0", "1"] * 10 for node in network.nodes}
import polars as pl
made = dc.release(pl.DataFrame(table), network, "even-shares", epsilon="1", ledger=dc.Ledger.unlimited())
assert made.mechanism.name == "even-shares"
"""
    done = run(follow(RECIPE, tmp_path, offer=True), "-c", script)
    assert done.returncode == 0, done.stderr


def test_the_toy_goes_the_whole_way_and_nobody_was_told_of_it(ledger, tmp_path):
    toy = even_shares()("1/2")
    planned = toy.plan(NETWORK, 4)
    assert planned.noise_scale == 4  # one maximal family
    assert planned.parameter_error.mean > 0
    made = dc.release(DATA, NETWORK, toy, ledger=ledger, save=tmp_path / "x.json")
    assert [charge.guarantee for charge in ledger.history()] == [dc.PureDP("1/2")]
    check_schema(made)
    assert content_of(made)["statistics"]["kind"] == "laplace-margins"
    again = dc.load(tmp_path / "x.json")
    assert again.mechanism == MechanismRecord("even-shares", {"epsilon": "1/2"})
    assert isinstance(again.posterior, dc.NoiseAwarePosterior)
    assert again.posterior.query("x", given={"y": "1"}).noise[0] > 0.1
    assert release_text(again) == (tmp_path / "x.json").read_bytes()
    assert again.update(DATA).posterior.own.rows == 4


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_toy_is_refused_before_the_charge(fault, ledger):
    broken = even_shares(planted(fault))("1/2")
    with pytest.raises((dc.FormatError, dc.ModelError), match=FAULTS[fault][2]):
        dc.release(DATA, NETWORK, broken, ledger=ledger, _bits=FailingBits())
    assert ledger.history() == []


def test_the_kernel_refuses_too_little_noise_by_itself(ledger):
    """Without the trial of the file, which refuses it earlier."""
    broken = even_shares(planted("too little noise"))("1/2")
    prepared = broken.prepare_found(family_counts(DATA, NETWORK), NETWORK, ledger=ledger, _bits=FailingBits())
    with pytest.raises(dc.BudgetError, match="sum to more than the guarantee"):
        prepared.charge_and_draw()
    assert ledger.history() == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda file: file["mechanism"].update(name="laplace"), "not those of its mechanism"),
        (lambda file: file["mechanism"].update(name="Even Shares"), "small letters"),
        (lambda file: file["mechanism"]["parameters"].update({"a\nb": "1"}), "small letters"),
        (lambda file: file["mechanism"].update(parameters={}), "mechanism"),
        (lambda file: file["mechanism"]["parameters"].update(epsilon="1/3"), "mechanism .* does not fit its guarantee"),
        (lambda file: file["statistics"]["margins"][0].update(scale="2"), "noise .* does not fit its guarantee"),
        (lambda file: file["statistics"]["noise"].update(law="discrete-gaussian"), "noise .* does not fit its guarantee"),
        (lambda file: file["statistics"]["margins"][0].update(nodes=["x", "y"]), "not those of its network"),
        (lambda file: file["statistics"]["margins"][0]["counts"].append(1), "too many or too few"),
    ],
)
def test_a_file_of_a_mechanism_that_is_not_listed_is_read_as_strictly(change, reason, tmp_path):
    made = dc.release(DATA, NETWORK, even_shares()("1/2"), ledger=dc.Ledger.unlimited())
    with pytest.raises(dc.FormatError, match=reason):
        dc.load(forged(made, tmp_path / "x.json", change))


@pytest.mark.parametrize(("mechanism", "kind"), [(dc.KNorm("1/2"), "blocks"), (dc.Gaussian(rho="1/50"), "margins")], ids=repr)
def test_other_laws_take_further_mechanisms_too(mechanism, kind):
    """Whoever chose the measurements: the law says what they cost."""
    made = dc.release(DATA, NETWORK, mechanism, ledger=dc.Ledger.unlimited())
    other = replace(made, mechanism=MechanismRecord("of-somebody-else", made.mechanism.parameters))
    content = content_of(other)
    assert content["statistics"]["kind"] == kind
    assert release_from_json(content).mechanism.name == "of-somebody-else"


@pytest.mark.parametrize("mechanism", [dc.Fourier("1/2"), dc.Laplace("1/2"), dc.Sampler("1/2"), dc.MapPoint("1/2")], ids=repr)
def test_what_a_law_alone_does_not_vouch_for_needs_a_listed_mechanism(mechanism):
    made = dc.release(DATA, NETWORK, mechanism, ledger=dc.Ledger.unlimited())
    with pytest.raises(dc.FormatError, match="that no kind of file lists"):
        content_of(replace(made, mechanism=MechanismRecord("of-somebody-else", made.mechanism.parameters)))


def test_differences_are_not_written_as_counts():
    """A file of margins has no word for them, and whoever read it would take them for counts."""
    made = dc.release(DATA, NETWORK, even_shares()("1/2"), ledger=dc.Ledger.unlimited())
    (table,) = made.value.released.measurements
    contrast = replace(table, statistic=Statistic.CONTRAST, numbers=table.published[:, 0])
    released = replace(made.value.released, measurements=(contrast,))
    with pytest.raises(dc.FormatError, match="Only counts"):
        content_of(replace(made, value=replace(made.value, released=released)))


def test_the_toy_knows_its_noise_as_the_listed_mechanism_does():
    """Of one maximal family there is but one share: the same law as laplace-consistent, so the same variances and plans."""
    toy, listed = even_shares()("1/2"), dc.Laplace("1/2", tables="maximal", consistent=True)
    assert toy.cell_noise(NETWORK) == listed.cell_noise(NETWORK)
    assert toy.plan(NETWORK, 100).parameter_error == listed.plan(NETWORK, 100).parameter_error

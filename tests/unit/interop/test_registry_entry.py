"""Entries for the registry of deployments: against what its schema asks for, as it was in July 2026, in our own words."""

from datetime import date
from pathlib import Path

import polars as pl
import pytest
from support.optional import need

import discreet as dc
from discreet.interop.registry_entry import BLANK, blanks, registry_entry

FIXTURES = sorted(
    path for path in (Path(__file__).parents[2] / "fixtures" / "releases-0.1").glob("*.json") if path.name != "answers.json"
)

# What each entry may be: a text, a number, a list of texts, one of some words, or a day. A + marks what may not be missing.
TEXT, NUMBER, TEXTS, DAY = "text", "number", "texts", "day"
STATUS = {"Converted", "Draft", "Pending", "Changes Required", "Approved", "Approved (Update Requested)", "Approved (Pending)"}
PRODUCTS = {"Summary statistics", "Machine learning model", "Dataset", "Synthetic data", "Interactive API", "SQL queries"}
SECTORS = {"Technology", "Healthcare", "Education", "Government", "Energy", "Finance"}
ASKED = {
    "url_slug+": TEXT,
    "status+": STATUS,
    "tier+": {1, 2, 3},
    "deployment.basic.name+": TEXT,
    "deployment.basic.data_curators+": TEXTS,
    "deployment.basic.intended_use+": TEXT,
    "deployment.basic.data_product_type+": PRODUCTS,
    "deployment.basic.data_product_region+": TEXT,
    "deployment.basic.description+": TEXT,
    "deployment.basic.publication_date+": DAY,
    "deployment.basic.data_product_sector": SECTORS,
    "deployment.dp_variant.variant_name": {"Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"},
    "deployment.dp_variant.data_domain": TEXT,
    "deployment.dp_variant.unprotected_quantities": TEXT,
    "deployment.privacy_loss.privacy_unit": TEXT,
    "deployment.privacy_loss.privacy_unit_details": TEXT,
    "deployment.privacy_loss.privacy_parameters.epsilon": NUMBER,
    "deployment.privacy_loss.privacy_parameters.delta": NUMBER,
    "deployment.privacy_loss.privacy_parameters.rho": NUMBER,
    "deployment.privacy_loss.privacy_parameters_details": TEXT,
    "deployment.deployment_model.model_name": {"Local", "Central", "Shuffle", "Federated", "Varies"},
    "deployment.deployment_model.model_name_details": TEXT,
    "deployment.deployment_model.actors": TEXT,
    "deployment.deployment_model.release_type": {"One release", "Many releases"},
    "deployment.deployment_model.release_type_details": TEXT,
    "deployment.deployment_model.data_source_type": {"Static", "Dynamic"},
    "deployment.deployment_model.data_source_type_details": TEXT,
    "deployment.deployment_model.access_type": {"Interactive", "Non-interactive"},
    "deployment.deployment_model.access_type_details": TEXT,
    "deployment.accounting.post_processing": TEXT,
    "deployment.accounting.composition": TEXT,
    "deployment.implementation.preprocessing_and_hyperparameter_tuning": TEXT,
    "deployment.implementation.mechanisms": TEXT,
    "deployment.implementation.justification": TEXT,
    "deployment.administrative.sources": TEXT,
    "deployment.administrative.notes": TEXT,
    "deployment.administrative.registry_authors+": TEXTS,
}
BUDGETS = {name for name in ASKED if ".privacy_parameters." in name}


def flat(entries, within=""):
    for name, value in entries.items():
        if isinstance(value, dict):
            yield from flat(value, f"{within}{name}.")
        else:
            yield within + name, value


def fits(value, asked):
    if isinstance(asked, set):
        return value in asked
    if asked == NUMBER:
        return type(value) is float and value > 0
    if asked == TEXTS:
        return isinstance(value, list) and value != [] and all(isinstance(each, str) and each for each in value)
    if asked == DAY:
        return isinstance(value, str) and date.fromisoformat(value) is not None
    return isinstance(value, str) and value.strip() != ""


def misfits(entry):
    """Names of what the registry would refuse."""
    found = dict(flat(entry))
    asked = {name.rstrip("+"): rule for name, rule in ASKED.items()}
    missing = {name[:-1] for name in ASKED if name.endswith("+")} - found.keys()
    wrong = set()
    for name, value in found.items():
        try:
            fitting = name in asked and fits(value, asked[name])
        except ValueError:  # no day
            fitting = False
        wrong |= set() if fitting else {name}
    return missing | wrong


def written(release, path):
    left = dc.write_registry_entry(release, path, overwrite=True)
    return need("yaml").safe_load(path.read_text("utf-8")), left


def filled(entry):
    """As a steward fills it in."""
    entry["deployment"]["basic"]["publication_date"] = "2026-11-18"
    entry["deployment"]["basic"]["data_product_sector"] = "Healthcare"
    entry["deployment"]["deployment_model"]["data_source_type"] = "Static"
    return entry


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_every_kind_of_release_makes_an_entry_that_lacks_only_what_the_steward_knows(path, tmp_path):
    release = dc.load(path)
    entry, left = written(release, tmp_path / "entry.yaml")
    assert entry["tier"] == 3
    assert misfits(entry) == {
        "deployment.basic.publication_date",
        "deployment.basic.data_product_sector",
        "deployment.deployment_model.data_source_type",
    }
    assert misfits(entry) <= set(left)
    assert misfits(filled(entry)) == set()
    assert {name.rstrip("+") for name in ASKED if name not in BUDGETS} <= {name for name, _ in flat(entry)}


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_the_guarantee_is_the_one_of_the_release(path, tmp_path):
    release = dc.load(path)
    entry, _ = written(release, tmp_path / "entry.yaml")
    found = entry["deployment"]["privacy_loss"]["privacy_parameters"]
    names = {"PureDP": ["epsilon"], "ZCDP": ["rho"], "ApproxDP": ["epsilon", "delta"]}[type(release.guarantee).__name__]
    assert found == {name: pytest.approx(float(getattr(release.guarantee, name)), rel=1e-11) for name in names}


def test_the_check_refuses_what_the_registry_would(tmp_path):
    entry, _ = written(dc.load(FIXTURES[0]), tmp_path / "entry.yaml")
    basic = filled(entry)["deployment"]["basic"]
    for name, wrong in {"publication_date": "1/1/2026", "data_product_type": "Model", "data_curators": [], "name": 3}.items():
        before, basic[name] = basic[name], wrong
        assert misfits(entry) == {f"deployment.basic.{name}"}
        basic[name] = before
    del basic["intended_use"]
    entry["surprise"] = 1
    assert misfits(entry) == {"deployment.basic.intended_use", "surprise"}


def test_blanks_are_marked_and_named(tmp_path):
    entry, left = written(dc.load(FIXTURES[0]), tmp_path / "entry.yaml")
    text = (tmp_path / "entry.yaml").read_text("utf-8")
    assert left == tuple(name for name, value in flat(entry) if BLANK in str(value))
    assert text.startswith(f"url_slug: {BLANK}\n# ")  # the registry's own script looks for it there, without quotation marks
    assert sum(line.count(BLANK) for line in text.splitlines() if not line.startswith("#")) == len(left)
    assert {"deployment.basic.name", "deployment.administrative.registry_authors"} <= set(left)


def release_of(**unit):
    records = pl.DataFrame({"who": [f"secret-{i // 2}" for i in range(40)], "y": ["0", "1"] * 20, "a": ["1", "0"] * 20})
    ledger = dc.Ledger("clinic.ledger", cap="2", dataset="clinic")
    return dc.release(records, dc.naive_bayes("y", ["a"]), dc.Laplace("1/3"), ledger=ledger, **unit)


def test_units_receipts_and_exact_budgets_are_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    entry, left = written(release_of(person="who"), tmp_path / "entry.yaml")
    loss, found = entry["deployment"]["privacy_loss"], dict(flat(entry))
    assert loss["privacy_unit"] == "Person"
    assert "`who`" in loss["privacy_unit_details"]
    assert "deployment.privacy_loss.privacy_unit_details" not in left
    assert "epsilon = 1/3." in loss["privacy_parameters_details"]
    assert loss["privacy_parameters"]["epsilon"] >= 1 / 3
    assert "charge 1 of data set 'clinic'" in found["deployment.accounting.composition"]
    assert "of 2 spent" in found["deployment.deployment_model.release_type_details"]
    assert "20 persons" in found["deployment.dp_variant.data_domain"]
    assert "secret" not in (tmp_path / "entry.yaml").read_text("utf-8")


@pytest.mark.parametrize("overlap", [False, True])
def test_fused_releases_are_statistics_of_several_stewards(overlap, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fused = dc.fuse(release_of(), release_of(), overlap=overlap)
    entry, _ = written(fused, tmp_path / "entry.yaml")
    found = dict(flat(entry))
    assert misfits(filled(entry)) == set()
    assert found["deployment.basic.data_product_type"] == "Summary statistics"
    assert "2 release files, each with statistics with noise" in " ".join(found["deployment.basic.description"].split())
    assert "Each steward" in found["deployment.deployment_model.model_name_details"]
    assert "2 releases without any further budget" in found["deployment.deployment_model.release_type_details"]
    composed = " ".join(found["deployment.accounting.composition"].split())
    assert ("may be in several" if overlap else "Parallel: nobody is in two of the releases") in composed
    assert found["deployment.privacy_loss.privacy_parameters.epsilon"] == pytest.approx(2 / 3 if overlap else 1 / 3, rel=1e-11)
    assert "Release 2: mechanism `laplace`." in " ".join(found["deployment.implementation.mechanisms"].split())


def test_records_of_the_holder_are_named_as_unprotected(tmp_path):
    entry, _ = written(dc.load(next(path for path in FIXTURES if path.stem == "laplace-own")), tmp_path / "entry.yaml")
    assert "30 records were added exactly" in entry["deployment"]["dp_variant"]["unprotected_quantities"]


def test_names_of_anybody_cannot_break_the_file(tmp_path):
    odd = ['a: "b"\n- c', "`x`", "#\x1b[1m", "null", "x" * 300]
    network = dc.Network([dc.Variable(name, ["0", "1"]) for name in odd], {})
    records = pl.DataFrame({name: ["0", "1"] * 5 for name in odd})
    release = dc.release(records, network, dc.Laplace("1"), ledger=dc.Ledger.unlimited())
    entry, _ = written(release, tmp_path / "entry.yaml")
    assert misfits(filled(entry)) == set()
    assert "x" * 300 in entry["deployment"]["dp_variant"]["data_domain"]


@pytest.mark.parametrize("wrong", [None, "clinic.json", dc.UNIFORM])
def test_what_is_no_release_is_refused(wrong, tmp_path):
    with pytest.raises(dc.FormatError, match="no release"):
        dc.write_registry_entry(wrong, tmp_path / "entry.yaml")


def test_a_value_that_was_made_of_a_release_has_no_entry(tmp_path):
    with pytest.raises(dc.FormatError):
        dc.write_registry_entry(dc.load(FIXTURES[0]).map(str), tmp_path / "entry.yaml")
    assert list(tmp_path.iterdir()) == []


def test_an_entry_of_plain_values_names_its_blanks():
    assert "deployment.basic.name" in set(blanks(registry_entry(dc.load(FIXTURES[0]))))


def test_the_command_writes_an_entry_and_shows_the_release(tmp_path, capsys):
    from discreet.cli import main

    words = ["show", str(FIXTURES[0]), "--registry", str(tmp_path / "entry.yaml")]
    assert main(words) == 0
    said = capsys.readouterr()
    assert "guarantee" in said.out
    assert "18 of its fields are for you to fill in" in said.err
    assert main(words) == 5
    assert "exists" in capsys.readouterr().err
    assert main([*words, "--force", "--json"]) == 0
    assert main(["show", str(FIXTURES[0]), "--registry", str(tmp_path / "entry.txt")]) == 2

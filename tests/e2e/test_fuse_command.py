"""`discreet fuse`: releases of several stewards become one file, which every other command takes."""

import json
import shutil
from pathlib import Path

import pytest

from discreet.cli import main


@pytest.fixture(scope="session")
def two_clinics(made, tmp_path_factory):
    """The clinic, and releases of other patients: on the same network, with another prior, as draws, on another network."""
    folder = tmp_path_factory.mktemp("clinics")
    shutil.copytree(made, folder, dirs_exist_ok=True)
    network = folder / "clinic.bif"
    assert main(["sample", str(network), "--rows", "1000", "--seed", "2", "-o", str(folder / "south.csv")]) == 0

    def release(name, *words, network=network):
        ledger = ["--ledger", str(folder / f"{name}.ledger"), "--cap", "1"]
        words = [str(folder / "south.csv"), "--network", str(network), *ledger, *words, "-o", str(folder / f"{name}.json")]
        assert main(["release", *words]) == 0

    other = folder / "other.bif"
    other.write_text(network.read_text("utf-8").replace("clear, shadow, unclear", "clear, shadow, dim"), "utf-8")
    text = (folder / "south.csv").read_text("utf-8")
    release("south", "--epsilon", "1")
    release("jeffreys", "--epsilon", "1", "--prior", "jeffreys")
    release("draws", "--epsilon", "1", "--mechanism", "sampler")
    release("tight", "--epsilon", "1", "--mechanism", "laplace")
    (folder / "south.csv").write_text(text.replace("unclear", "dim"), "utf-8")
    release("renamed", "--epsilon", "1", network=other)
    (folder / "south.csv").write_text(text, "utf-8")
    assert main(["fuse", str(folder / "clinic.json"), str(folder / "south.json"), "-o", str(folder / "both.json")]) == 0
    return folder


@pytest.fixture
def clinics(two_clinics, tmp_path, monkeypatch):
    shutil.copytree(two_clinics, tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("DISCREET_CACHE", str(two_clinics / "kept"))  # so that the chains of a file run once
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_fuse_writes_a_file_and_says_whose_guarantee_it_has(discreet, clinics):
    done = discreet("fuse", "clinic.json", "south.json", "-o", "new.json")
    assert (done.code, done.out) == (0, "")
    assert "The fused release of 2 releases is in new.json." in done.err
    assert "each person has the guarantee of the one release that holds the records" in " ".join(done.err.split())
    assert Path("new.json").read_bytes() == Path("both.json").read_bytes()


def test_show_lists_the_parts_for_people_and_for_programs(discreet, clinics):
    shown = " ".join(discreet("show", "both.json").out.split())
    assert "release 1 2,000 records, epsilon = 0.5" in shown
    assert "release 2 1,000 records, epsilon = 1" in shown
    found = discreet("show", "both.json", "--json").json
    assert found["guarantee"] == {"kind": "pure", "epsilon": "1"}
    assert [part["guarantee"]["epsilon"] for part in found["parts"]] == ["0.5", "1"]
    digests = [json.loads(Path(name).read_text("utf-8"))["digest"] for name in ("clinic.json", "south.json")]
    assert [part["digest"] for part in found["parts"]] == digests
    assert (found["rows"], found["releases"]) == (3000, 2)


def test_declared_overlap_adds_budgets_up(discreet, clinics):
    done = discreet("fuse", "clinic.json", "south.json", "--overlap", "-o", "new.json")
    assert "the budgets add up" in " ".join(done.err.split())
    assert discreet("show", "new.json", "--json").json["guarantee"] == {"kind": "pure", "epsilon": "1.5"}


@pytest.mark.slow
def test_sites_that_differ_are_fused_and_told(discreet, clinics):
    done = discreet("fuse", "clinic.json", "south.json", "--sites-differ", "-o", "apart.json")
    assert done.code == 0
    assert "The sites may differ." in " ".join(done.err.split())
    shown = discreet("sites", "apart.json", "--rounds", "20")
    assert shown.code == 0
    assert "one half at a site" in shown.out
    found = discreet("sites", "apart.json", "--rounds", "20", "--json").json
    assert {each["node"] for each in found["spreads"]} == {"smoke", "lung", "xray"}
    refused = discreet("sites", "both.json")
    assert refused.code == 2
    assert "discreet fuse --sites-differ" in refused.err
    assert discreet("sites", "apart.json", "--interval", "none").code == 2


def test_every_question_can_be_asked_of_the_fused_file(discreet, clinics):
    lone = discreet("query", "clinic.json", "lung", "--given", "smoke=yes", "--json").json["distribution"][0]
    both = discreet("query", "both.json", "lung", "--given", "smoke=yes", "--json").json["distribution"][0]
    assert both["upper"] - both["lower"] < lone["upper"] - lone["lower"]
    assert discreet("predict", "both.json", "patients.csv", "--target", "lung").out.count("\n") == 2001
    assert discreet("sample", "both.json", "--rows", 5, "--seed", 1).out.count("\n") == 6
    assert discreet("query", "both.json", "lung", "--plugin", "--json").code == 0
    assert discreet("show", "both.json", "lung", "--rounds", "4").code == 0


def test_the_fused_file_is_updated_exported_drawn_compared_and_put_on_a_page(discreet, clinics):
    assert discreet("update", "both.json", "south.csv", "-o", "own.json").code == 0
    assert discreet("show", "own.json", "--json").json["own_rows"] == 1000
    assert discreet("export", "both.json", "-o", "both.xdsl").code == 0
    assert discreet("compare", "clinic.json", "both.json", "--json").json["changes"]
    assert discreet("plot", "both.json", "-o", "both.png").code == 0
    assert discreet("page", "both.json", "-o", "both.html").code == 0
    assert "release 2" in Path("both.html").read_text("utf-8")
    assert discreet("report", "both.json", "-o", "both.md").code == 0
    assert "1,000 records, epsilon = 1" in Path("both.md").read_text("utf-8")


def test_a_fused_file_is_fused_again(discreet, clinics):
    assert discreet("fuse", "both.json", "tight.json", "-o", "three.json").code == 0
    assert discreet("show", "three.json", "--json").json["releases"] == 3


def test_a_prior_of_ones_own_takes_the_place_of_different_ones(discreet, clinics):
    refused = discreet("fuse", "clinic.json", "jeffreys.json", "-o", "new.json")
    assert refused.code == 2
    assert "different priors: Hierarchical() and Symmetric(0.5)" in refused.err
    assert discreet("fuse", "clinic.json", "jeffreys.json", "--prior", "uniform", "-o", "new.json").code == 0
    assert json.loads(Path("new.json").read_text("utf-8"))["prior"] == {"kind": "symmetric", "weight": 1.0}


@pytest.mark.parametrize(
    ("files", "code", "said"),
    [
        (["clinic.json"], 2, "Give at least two release files"),
        (["clinic.json", "patients.csv"], 2, "is a table of records"),
        (["clinic.json", "nowhere.json"], 5, "nowhere.json"),
        (["clinic.json", "clinic.bif"], 5, "clinic.bif"),
        (["clinic.json", "clinic.json"], 2, "are one and the same"),
        (["both.json", "south.json"], 2, "are one and the same"),
        (["clinic.json", "draws.json"], 2, "holds draws or a point"),
        (["clinic.json", "renamed.json"], 2, "declare different levels of 'xray'"),
    ],
)
def test_wrong_files_are_refused_and_nothing_is_written(discreet, clinics, files, code, said):
    done = discreet("fuse", *files, "-o", "new.json")
    assert done.code == code, done.err
    assert said in " ".join(done.err.split())
    assert not Path("new.json").exists()


def test_an_output_that_exists_or_is_an_input_is_kept(discreet, clinics):
    before = Path("south.json").read_bytes()
    for words in (["-o", "south.json"], ["-o", "south.json", "--force"]):
        assert discreet("fuse", "clinic.json", "south.json", *words).code != 0
        assert Path("south.json").read_bytes() == before


def test_a_fused_file_with_an_edited_part_is_refused_with_the_part(discreet, clinics):
    content = json.loads(Path("both.json").read_text("utf-8"))
    content["parts"][1]["rows"] += 1
    from discreet.release_file.document import digest

    content["digest"] = digest(content)
    Path("both.json").write_text(json.dumps(content), "utf-8")
    done = discreet("show", "both.json")
    assert done.code == 5
    assert "Part 2: The release file was damaged or edited" in " ".join(done.err.split())

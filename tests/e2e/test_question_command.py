"""Questions of the command: what if a node were set, and two answers compared."""

import json
from pathlib import Path

import pytest

import discreet as library


def test_a_node_is_set_instead_of_seen(discreet, clinic):
    words = ["query", "clinic.json", "smoke", "--interval", "none", "--json"]
    seen, made, alone = (discreet(*words, *more).json for more in (["--given", "lung=yes"], ["--do", "lung=yes"], []))
    assert made["do"] == {"lung": "yes"}
    assert made["distribution"] == alone["distribution"]
    assert seen["distribution"][0]["probability"] > alone["distribution"][0]["probability"] + 0.1


def test_two_answers_are_compared_with_intervals(discreet, clinic):
    words = ["query", "clinic.json", "lung", "--do", "smoke=yes", "--against", "smoke=no"]
    found = discreet(*words, "--json", "--seed", "1").json
    level = found["levels"][0]
    assert level["difference"]["value"] == pytest.approx(level["first"] - level["second"])
    assert level["difference"]["lower"] < level["difference"]["value"] < level["difference"]["upper"]
    shown = discreet(*words).out
    assert "P(lung | do(smoke=yes)) against P(lung | do(smoke=no))" in shown
    assert "ratio" in shown


def test_words_that_make_no_question_are_refused_before_any_chain_runs(discreet, clinic, monkeypatch):
    monkeypatch.setattr("discreet.posterior.noise_aware.visit", None)
    for more, said in [
        (["--do", "lung=yes"], "asked for and set"),
        (["--do", "smoke"], "not of the form node=level"),
        (["--do", "smoke=yes", "--do", "smoke=no"], "given twice"),
        (["--against", "smoke=no"], "say which by --given or --do"),
        (["--do", "smoke=yes", "--against", "smoke=yes"], "are the same"),
    ]:
        done = discreet("query", "clinic.json", "lung", *more)
        assert done.code == 2
        assert said in done.err


def test_a_learned_graph_in_a_file_refuses_to_be_set(discreet, clinic):
    network, tables = library.read_tables("clinic.bif")
    learned = library.Network(network.variables, network.parents, learned=True)
    library.write_network(learned, "learned.json", tables)
    assert json.loads(Path("learned.json").read_text("utf-8"))["learned"] is True
    done = discreet("query", "learned.json", "lung", "--do", "smoke=yes")
    assert done.code == 2
    assert "--arrows-are-causes" in done.err
    assert discreet("query", "learned.json", "lung", "--do", "smoke=yes", "--arrows-are-causes").code == 0


def test_a_release_of_a_learned_graph_stays_one_of_a_learned_graph(clinic):
    network = library.read_network("clinic.bif")
    learned = library.Network(network.variables, network.parents, learned=True)
    made = library.release("patients.csv", learned, library.Laplace("1"), ledger=library.Ledger.unlimited())
    made.save("learned.json")
    assert library.load("learned.json").value.network.learned
    assert not library.load("clinic.json").value.network.learned
    text = Path("learned.json").read_text("utf-8")
    Path("wrong.json").write_text(text.replace('"learned": true', '"learned": false'), "utf-8")
    with pytest.raises(library.FormatError):
        library.load("wrong.json")


def test_further_answers_have_commands(discreet, clinic):
    found = discreet("probability", "clinic.json", "smoke=yes", "lung=yes", "--json", "--seed", "1").json
    assert found["lower"] < found["value"] < found["upper"]
    assert discreet("explain", "clinic.json", "--given", "lung=yes", "--json").json["levels"]["xray"] == "shadow"
    assert "bits" in discreet("information", "clinic.json", "smoke", "lung").out
    words = ["expect", "clinic.json", "xray", "--value", "clear=0", "--value", "unclear=1"]
    assert "--value 'shadow=1'" in discreet(*words).err
    assert discreet(*words, "--value", "shadow=2", "--json").json["value"] < 1
    assert discreet(*words, "--value", "shadow=much").code == 2


def test_a_table_of_questions_is_answered_row_by_row(discreet, clinic):
    Path("questions.csv").write_text("smoke,xray\nyes,\n,shadow\n", "utf-8")
    done = discreet("query", "clinic.json", "lung", "--table", "questions.csv", "--seed", "1")
    assert done.code == 0
    assert done.out.splitlines()[0].startswith("smoke,xray,P(lung=yes),P(lung=yes) lower")
    assert len(done.out.splitlines()) == 3
    assert "Given in the table: smoke" in done.err
    done = discreet("query", "clinic.json", "lung", "--table", "questions.csv", "--given", "smoke=yes")
    assert "in the table" in done.err


def test_several_synthetic_sets_are_numbered(discreet, clinic):
    done = discreet("sample", "clinic.json", "--rows", 5, "--datasets", 3, "--seed", 1)
    lines = [line.split(",") for line in done.out.splitlines()]
    assert lines[0] == ["dataset", "smoke", "lung", "xray"]
    assert [line[0] for line in lines[1:]] == [number for number in "123" for _ in range(5)]
    assert discreet("sample", "clinic.json", "--rows", 5, "--datasets", 1).code == 2
    assert "single point" in discreet("sample", "clinic.bif", "--rows", 5, "--datasets", 2).err


def test_the_smallest_epsilon_for_a_question_is_found_without_records(discreet, clinic):
    words = ["plan", "clinic.bif", "--rows", 10000, "--question", "lung given smoke=yes"]
    found = discreet(*words, "--width", 0.05, "--json").json
    assert found["question"] == "P(lung | smoke=yes)"
    assert 0 < float(found["smallest_epsilon"]) < 10
    assert "not to be had at any epsilon" in " ".join(discreet(*words, "--width", 0.0001).out.split())
    assert "will be about" in discreet(*words, "--width", 0.05, "--epsilon", "0.5").out
    assert discreet(*words).code == 2
    assert discreet("plan", "clinic.bif", "--rows", 10000).code == 2


def test_two_releases_are_compared(discreet, clinic):
    words = ["--network", "clinic.bif", "--ledger", "later.ledger", "--cap", "1", "--epsilon", "0.5"]
    assert discreet("release", "patients.csv", *words, "-o", "later.json").code == 0
    found = discreet("compare", "clinic.json", "later.json", "--json", "--seed", 1).json["changes"]
    assert len(found) == 1 + 2 + 6
    assert all(each["lower"] < each["upper"] for each in found)
    pytest.importorskip("matplotlib")
    done = discreet("compare", "clinic.json", "later.json", "--plot", "changes.png")
    assert "would by chance" in done.out
    assert Path("changes.png").read_bytes().startswith(b"\x89PNG")
    assert discreet("compare", "clinic.json", "later.json", "--plot", "changes.png").code != 0

"""What the command prints and reads: JSON, odd names, help, suggestions, wide tables."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from discreet import Network, Variable, load, write_network
from discreet.cli.questions import split_given, split_targets

PAGE = Path(__file__).parents[2] / "docs" / "command.md"
COMMANDS = ("demo", "declare", "cuts", "learn", "plan", "release", "confidence", "sign")
COMMANDS += ("verify", "show", "page", "report", "plot", "export", "compare")
COMMANDS += ("query", "probability", "expect", "information", "explain", "predict", "update", "fuse", "sites", "sample")
COMMANDS += ("ledger", "cache", "reproduce")

ODD = Network(
    [
        Variable("[red]", ["[bold]a", "b=c", "x"]),
        Variable("a=b", ["c", "d"]),
        Variable("a", ["b=c", "b=d"]),
        Variable("größe, cm", ["klein", "groß", "日本"]),
        Variable("quo'te", ['"', "new\nline"]),
        Variable("\x1b[31mesc", ["-1", "2"]),
    ],
    {"a": ["[red]"], "\x1b[31mesc": ["größe, cm", "quo'te"]},
)


@pytest.fixture
def odd(discreet, tmp_path, monkeypatch):
    """A release of a network whose names are as strange as they may be."""
    monkeypatch.chdir(tmp_path)
    tables = {family.node: np.full((family.configurations, family.levels), 1 / family.levels) for family in ODD.families}
    write_network(ODD, "odd.json", tables)
    assert discreet("sample", "odd.json", "--rows", 500, "--seed", 1, "-o", "odd.csv").code == 0
    words = ("--network", "odd.json", "--epsilon", "10", "--ledger", "odd.ledger", "--cap", "10", "-o", "release.json")
    assert discreet("release", "odd.csv", *words).code == 0
    return tmp_path


def test_a_plan_fits_a_page_and_says_what_to_take(discreet, clinic):
    shown = discreet("plan", "clinic.bif", "--rows", 2000, "--epsilon", "0.5")
    assert max(len(line) for line in (shown.out + shown.err).splitlines()) <= 100
    document = discreet("plan", "clinic.bif", "--rows", 2000, "--epsilon", "0.5", "--json").json
    assert f"Recommended: {document['recommendation']['mechanism']}." in shown.out
    assert "without smoke -> lung the error of lung falls from" in shown.out
    assert "Left out: fourier." in shown.out
    assert set(document) == {"plans", "recommendation", "edges", "left_out", "meaning"}


def test_every_json_output_is_one_document(discreet, clinic):
    plans = discreet("plan", "clinic.bif", "--rows", 2000, "--epsilon", "0.5", "--json").json["plans"]
    assert plans[0]["noise_scale"] == "12"
    words = ("--network", "clinic.bif", "--epsilon", "0.1", "--ledger", "clinic.ledger", "-o", "new.json", "--json")
    made = discreet("release", "patients.csv", *words).json
    assert (made["output"], made["rows"], made["guarantee"]["epsilon"]) == ("new.json", 2000, "0.1")
    assert made["receipts"][0]["remaining"] == "0.4"
    shown = discreet("show", "new.json", "--json").json
    assert shown == {name: value for name, value in made.items() if name != "output"}
    table = discreet("show", "clinic.json", "xray", "--json").json
    assert [cell["given"]["lung"] for cell in table["table"]] == ["yes"] * 3 + ["no"] * 3
    assert all(cell["lower"] < cell["mean"] < cell["upper"] for cell in table["table"])
    answer = discreet("query", "clinic.json", "lung,xray", "--given", "smoke=yes", "--json").json
    assert sum(cell["probability"] for cell in answer["distribution"]) == pytest.approx(1)
    words = ("predict", "clinic.json", "patients.csv", "--target", "lung", "--plugin", "--json")
    predicted = discreet(*words).json
    assert len(predicted["predicted"]) == len(predicted["probabilities"]) == 2000
    saved = discreet(*words, "-o", "lung.csv").json
    assert saved == {"target": "lung", "levels": ["yes", "no"], "rows": 2000, "output": "lung.csv"}
    assert [account["dataset"] for account in discreet("ledger", "clinic.ledger", "--json").json["datasets"]] == ["default"]


def test_a_query_is_repeatable_with_a_seed_and_agrees_with_the_library(discreet, clinic):
    words = ("query", "clinic.json", "lung", "--given", "smoke=yes", "--draws", 50, "--json")
    release = load("clinic.json")
    for more, posterior in (((), release.posterior), (("--plugin",), release.plugin)):
        first = discreet(*words, *more, "--seed", 7).json
        expected = posterior.query("lung", {"smoke": "yes"}, draws=50, generator=np.random.default_rng(7))
        assert first == json.loads(json.dumps(expected.to_dict()))
    assert discreet(*words, "--plugin", "--seed", 7).json == first
    assert discreet(*words, "--plugin", "--seed", 8).json != first
    assert "lower" not in discreet(*words, "--plugin", "--interval", "none").json["distribution"][0]


@pytest.mark.slow
def test_predictions_are_those_of_the_library(discreet, clinic):
    posterior = load("clinic.json").posterior
    frame = pl.read_csv(io.StringIO(discreet("predict", "clinic.json", "patients.csv", "--target", "lung", "--proba").out))
    assert frame.columns == ["lung", "lung=yes", "lung=no"]
    assert frame["lung"].to_list() == posterior.predict("patients.csv", "lung")
    assert np.allclose(frame.select("lung=yes", "lung=no").to_numpy(), posterior.predict_proba("patients.csv", "lung"))


def test_the_prior_may_be_named_or_be_an_earlier_release(discreet, clinic):
    words = (
        "--network",
        "clinic.bif",
        "--epsilon",
        "0.1",
        "--ledger",
        "many.ledger",
        "--cap",
        "9",
        "--force",
        "-o",
        "new.json",
    )
    for prior, cell in (("uniform", 1), ("jeffreys", 0.5), ("bdeu:12", 6), ("bdeu", 0.5)):
        assert discreet("release", "patients.csv", *words, "--prior", prior).code == 0
        posterior = load("new.json").plugin
        assert posterior.prior.concentration(posterior.network.family("smoke"))[0, 0] == cell
    assert discreet("release", "patients.csv", *words, "--prior", "clinic.json").code == 0
    earlier, posterior = load("clinic.json").plugin, load("new.json").plugin
    assert (posterior.prior.concentration(posterior.network.family("xray")) == earlier.concentration("xray")).all()


def test_a_prior_with_the_right_shapes_but_other_levels_is_refused(discreet, clinic):
    swapped = Path("clinic.bif").read_text().replace("{ yes, no }", "{ no, yes }")
    Path("swapped.bif").write_text(swapped)
    words = ("--network", "swapped.bif", "--epsilon", "0.1", "--ledger", "clinic.ledger", "-o", "new.json")
    refused = discreet("release", "patients.csv", *words, "--prior", "clinic.json")
    assert refused.code == 2
    assert "another network" in refused.err
    assert not Path("new.json").exists()


@pytest.mark.slow
def test_odd_names_survive_in_csv_and_json(discreet, odd):
    text = discreet("sample", "release.json", "--rows", 200).out
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(rows) == 200
    for variable in ODD.variables:
        assert {row[variable.name] for row in rows} == set(variable.levels)
    answer = discreet("query", "release.json", "größe, cm", "--plugin", "--json")
    assert "日本" in answer.out
    assert [cell["levels"]["größe, cm"] for cell in answer.json["distribution"]] == ["klein", "groß", "日本"]
    predicted = discreet("predict", "release.json", "odd.csv", "--target", "quo'te", "--plugin").out
    assert {row["quo'te"] for row in csv.DictReader(io.StringIO(predicted, newline=""))} <= {'"', "new\nline"}
    assert discreet("update", "release.json", "odd.csv", "-o", "updated.json").code == 0


def test_names_are_neither_markup_nor_orders_to_the_terminal(discreet, odd):
    shown = discreet("show", "release.json", "a").out
    assert "P(a | [red])" in shown
    assert "[bold]a" in shown
    escaped = discreet("show", "release.json", "\x1b[31mesc", "--plugin").out
    assert "\x1b" not in escaped
    assert r"\x1b[31mesc" in escaped
    assert r"new\nline" in escaped
    assert "\x1b" not in discreet("query", "release.json", "\x1b[31mescape").err


def test_known_names_decide_where_a_word_is_split():
    assert split_given(["a=b=c"], ODD) == {"a=b": "c"}
    assert split_given(["a=b=d"], ODD) == {"a=b": "d"}
    assert split_given(["[red]=b=c", "a=b=b=c"], ODD) == {"[red]": "b=c", "a=b": "b=c"}
    assert split_given(["größe, cm=groß"], ODD) == {"größe, cm": "groß"}
    assert split_given(["unknown=x=y"], ODD) == {"unknown": "x=y"}
    only = Network([Variable("a=b", ["c", "x"]), Variable("a", ["b=q", "r"])])
    assert split_given(["a=b=q"], only) == {"a": "b=q"}
    assert split_targets("größe, cm", ODD) == ["größe, cm"]
    assert split_targets("a,größe, cm,[red]", ODD) == ["a", "größe, cm", "[red]"]
    assert split_targets("a, a=b", ODD) == ["a", "a=b"]
    assert split_targets("a,", ODD) == ["a", ""]


@pytest.mark.slow
def test_output_for_a_terminal_that_knows_only_ascii(odd):
    script = "import sys; from discreet.cli import main; sys.exit(main())"
    query = ["query", "release.json", "größe, cm", "--plugin"]
    for words in (query, [*query, "--json"]):
        done = subprocess.run(
            [sys.executable, "-c", script, *words],
            capture_output=True,
            check=True,
            timeout=60,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
        )
        assert ("日本" in done.stdout.decode("utf-8")) == ("--json" in words)
        assert "--json" not in words or json.loads(done.stdout)


def test_a_wide_table_is_not_cut_when_it_is_piped(discreet, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    names = [f"a_rather_long_name_for_a_node_{number}" for number in range(6)]
    network = Network([Variable(name, ["level_one", "level_two"]) for name in names])
    write_network(network, tmp_path / "wide.json", {name: [[0.5, 0.5]] for name in names})
    out = discreet("query", tmp_path / "wide.json", ",".join(names)).out
    assert "…" not in out
    assert all(name in out.splitlines()[1] for name in names)
    assert len(out.splitlines()) == 3 + 2**6
    assert not any(line.endswith(" ") for line in out.splitlines())


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_a_purpose_an_example_and_described_options(discreet, monkeypatch, name):
    monkeypatch.setenv("TERMINAL_WIDTH", "200")
    help_text = discreet(name, "--help").out
    assert f"Example: discreet {name}" in help_text
    for option in re.findall(r"^│ [* ]  (?:-|[A-Z])\S*(.*)│$", help_text, flags=re.MULTILINE):
        assert len(option.split()) > 2, option
    assert f"## `discreet {name}`" in PAGE.read_text(encoding="utf-8")


def test_help_lists_the_commands_in_the_order_of_the_pipeline(discreet):
    out = discreet("--help").out
    assert re.findall(r"^│ ([a-z]+) ", out, flags=re.MULTILINE) == list(COMMANDS)
    assert "DISCREET_TRACEBACK" in out
    assert "private values" in " ".join(out.split())


def test_help_loads_nothing_heavy():
    script = (
        "import sys; from discreet.cli import main; main(['--help'])\n"
        "print({'numpy', 'polars', 'scipy', 'flint', 'narwhals', 'matplotlib'} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True, timeout=60)
    assert done.stderr == "set()\n"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("relaese patients.csv", "'release'"),
        ("frobnicate", "demo, declare, cuts, learn, plan"),
        ("plan clinic.bif --row 5 --epsilon 1", "--rows"),
        ("query clinic.json lungs", "Did you mean 'lung'?"),
        ("query clinic.json lung --given smok=yes", "Did you mean 'smoke'?"),
        ("query clinic.json lung --given smoke=yess", "Did you mean 'yes'?"),
        ("query clinic.json lung --given smoke=YES", "Did you mean 'yes'?"),
        ("query clinic.json LUNG", "Did you mean 'lung'?"),
        ("query clinic.json lung --given smoke", "node=level"),
        ("query clinic.json lung --given smoke=yes --given smoke=no", "twice"),
        ("predict clinic.json patients.csv --target xrays", "Did you mean 'xray'?"),
        ("show clinic.json smokes", "Did you mean 'smoke'?"),
        (
            "release patients.csv --network clinic.bif --epsilon 1 --ledger l --mechanism laplac -o o.json",
            "Did you mean 'laplace'?",
        ),
        ("release patients.csv --network clinic.bif --epsilon 1 --ledger l --prior jefreys -o o.json", "'jeffreys'"),
        ("release patients.csv --network clinic.bif --epsilon 1 --ledger l -o o.json", "--cap 1"),
        ("release patients.csv --network patients.csv --epsilon 1 --ledger l -o o.json", "table of records"),
        ("predict clinic.json nowhere.csv --target xray", "There is no file"),
        ("query patients.csv clinic.json", "order of the arguments"),
        ("plan clinic.bif --rows ten --epsilon 1", "Try 'discreet plan --help'."),
    ],
)
def test_a_wrong_word_gets_a_suggestion_at_once(discreet, clinic, monkeypatch, words, hint):
    monkeypatch.setattr("discreet.posterior.noise_aware.visit", None)  # nobody waits for a chain to be told of a typo
    done = discreet(*words.split())
    assert done.code in (2, 5)
    assert hint in done.err
    assert done.out == ""


def test_show_says_what_can_be_asked_and_what_the_guarantee_means(discreet, clinic):
    shown = discreet("show", "clinic.json")
    assert "factor of at most 1.65" in shown.out
    assert [line.split() for line in shown.out.splitlines()[-3:]] == [
        ["smoke", "yes,", "no"],
        ["lung", "yes,", "no", "smoke"],
        ["xray", "clear,", "shadow,", "unclear", "lung"],
    ]
    document = discreet("show", "clinic.json", "--json").json
    assert document["nodes"][2] == {"name": "xray", "levels": ["clear", "shadow", "unclear"], "parents": ["lung"]}
    assert (document["meaning"][:10], document["remark"]) == ("To someone", None)


def test_a_large_epsilon_is_remarked_on_in_plan_release_and_show(discreet, clinic):
    assert "no protection at all" in discreet("plan", "clinic.bif", "--rows", 2000, "--epsilon", "500").out
    words = ("--network", "clinic.bif", "--epsilon", "500", "--ledger", "large.ledger", "--cap", "500", "-o", "large.json")
    assert "Beware: That is no protection at all" in discreet("release", "patients.csv", *words).err
    shown = discreet("show", "large.json").out
    assert "no protection at all" in shown
    assert "10^218" in shown


def test_the_version_is_printed(discreet):
    assert re.fullmatch(r"discreet \d+\.\d+\.\d+\S*\n", discreet("--version").out)


def test_a_ledger_made_with_a_delta_says_so(discreet, clinic):
    words = ("--network", "clinic.bif", "--epsilon", "0.25", "--ledger", "with.ledger", "-o", "with.json")
    made = discreet("release", "patients.csv", *words, "--cap", "1", "--delta", "1e-6")
    assert made.code == 0
    assert "epsilon 0.25; 0.25 of 1 spent at delta 0.000001, 0.75 remains" in made.err
    (account,) = discreet("ledger", "with.ledger", "--json").json["datasets"]
    assert (account["cap"], account["delta"], account["spent"]) == ("1", "0.000001", "0.25")
    assert "0.000001" in discreet("ledger", "with.ledger").out
    assert discreet("release", "patients.csv", *words, "--force", "--delta", "1e-5").code == 5
    assert discreet("release", "patients.csv", *words, "--force", "--delta", "often").code == 2
    assert discreet("release", "patients.csv", *words, "--force", "--delta", "2").code == 2


def test_python_runs_the_command_where_it_is_not_on_the_path():
    done = subprocess.run([sys.executable, "-m", "discreet", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("discreet ")
    assert subprocess.run([sys.executable, "-m", "discreet", "nothing"], capture_output=True, check=False).returncode == 2

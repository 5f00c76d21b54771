import time
from importlib import import_module
from pathlib import Path

import pytest

import discreet as dc

ROOT = Path(__file__).parents[3]


@pytest.fixture
def results(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    return import_module("benchmarks.results")


@pytest.fixture
def page(results):
    return import_module("benchmarks.page")


def case(results, goal, theirs, fastest, **ours):
    row = results.Row("counting", "10 rows", "peer", theirs, fastest, goal=goal)
    mine = results.Row("counting", "10 rows", results.OURS, **({"milliseconds": 2.0, "fastest": 1.0} | ours))
    return results.Results("2 cores", {"discreet": "1"}, (mine, row))


@pytest.mark.parametrize(
    ("kind", "value", "theirs", "fastest", "met"),
    [
        ("FASTER", 20, 40, 20, True),
        ("FASTER", 20, 39, 20, False),
        ("FASTER", 20, 4000, 19, False),  # a peer that was held up in most turns must not make us look fast
        ("SLOWER", 3, 1, 0.5, True),
        ("SLOWER", 3, 0.6, 0.5, False),
        ("SLOWER", 3, 1, 0.3, False),
        ("SLOWER", 3, None, None, None),
    ],
)
def test_a_goal_is_met_only_by_the_medians_and_the_fastest_turns_together(results, kind, value, theirs, fastest, met):
    measured = case(results, results.Goal(results.Kind[kind], value), theirs, fastest)
    assert measured.rows[1].goal.met(measured.rows[1], measured.ours(measured.rows[1])) is met


@pytest.mark.parametrize(("processor", "ratio"), [(None, 0.1), (20.0, 0.15), (1.0, 3.0), (60.0, 0.1)])
def test_time_of_the_processor_counts_where_it_is_worse_for_us(results, processor, ratio):
    """Two threads that take half as long have not counted with less work."""
    row = results.Row("counting", "10 rows", "peer", 20.0, 10.0, processor=processor)
    ours = results.Row("counting", "10 rows", results.OURS, 2.0, 1.0, processor=3.0)
    assert row.ratio(ours) == pytest.approx(ratio)


def test_a_turn_is_measured_by_the_clock_and_by_the_processor(results):
    timing = import_module("benchmarks.timing")
    [ours, peer] = timing.measured(
        "counting", "x", {results.OURS: lambda: lambda: time.sleep(0.02), "p": lambda: 1 / 0}, {}, 2
    )
    assert ours.milliseconds >= ours.fastest >= 20
    assert ours.processor < 10
    assert peer.processor is peer.milliseconds is None
    assert "ZeroDivisionError" in peer.reason


def test_the_processor_has_a_column_where_it_was_measured(results, page):
    row = results.Row("counting", "10 rows", results.OURS, 2.0, 1.5, processor=3.0)
    measured = results.Results("2 cores", {}, (row,))
    assert page.table([row], measured)[2:] == ["| 10 rows | discreet | 2 | 1.5 | 3 |  |  |  |"]


def test_a_table_says_what_discreet_takes_what_was_asked_and_whether_it_was_met(results, page):
    measured = case(results, results.Goal(results.Kind.FASTER, 20), 100.0, 50.0)
    assert page.table(list(measured.rows), measured)[2:] == [
        "| 10 rows | discreet | 2 ~ | 1 |  |  |  |",
        "|  | peer | 100 ~ | 50 | 1/50 of it | at most 1/20 | yes |",
    ]
    assert "Goals met: 1 of 1." in page.page(measured)


def test_a_missed_goal_is_named_on_the_page(results, page):
    measured = case(results, results.Goal(results.Kind.SLOWER, 1.6), 1.0, 0.5)
    assert "| 2 times it | at most 1.6 times | **no** |" in page.page(measured)
    assert "Goals met: 0 of 1. Not met: 10 rows, peer." in page.page(measured)


def test_memory_at_its_bound_is_not_below_it(results, page):
    row = results.Row("files", "CSV", results.OURS, 1.0, 1.0, 400.0, results.Goal(results.Kind.MEGABYTES, 400))
    measured = results.Results("2 cores", {}, (row,))
    assert "| 400 |  | below 400 MB | **no** |" in page.page(measured)


def test_a_contender_that_could_not_run_has_a_row_with_the_reason(results, page):
    row = results.Row("counting", "10 rows", "peer", reason="ImportError: no peer", goal=results.Goal(results.Kind.FASTER, 2))
    measured = results.Results("2 cores", {}, (row,))
    assert "not measured: ImportError: no peer" in page.page(measured)
    assert "Not measured: 1." in page.page(measured)


def test_results_survive_their_file(results, tmp_path):
    measured = case(results, results.Goal(results.Kind.SLOWER, 1.5), 1.25, 0.5, megabytes=123.0)
    results.write_results(measured, tmp_path / "results.json")
    assert results.read_results(tmp_path / "results.json") == measured


def test_rows_that_were_measured_again_take_the_place_of_the_old_and_say_when(results, page, tmp_path):
    def row(benchmark, case, milliseconds):
        return results.Row(benchmark, case, results.OURS, milliseconds, milliseconds)

    before = row("counting", "a", 1), row("noise", "b", 2), row("queries", "c", 3)
    old = results.Results("2 cores", {"discreet": "1"}, before)
    new = results.Results("3 cores", {"discreet": "2"}, (row("noise", "b", 5), row("noise", "d", 6)))
    both = results.renewed(old, new, "Measured on a Monday.")
    assert [(each.case, each.milliseconds) for each in both.rows] == [("a", 1), ("b", 5), ("d", 6), ("c", 3)]
    results.write_results(both, tmp_path / "results.json")
    assert results.read_results(tmp_path / "results.json") == both
    written = page.page(both)
    assert written.count("Measured on a Monday.") == 1
    assert written.index("## Exact noise") < written.index("Measured on a Monday.") < written.index("## Exact queries")


def test_the_file_keeps_three_figures_of_everything_measured(results, tmp_path):
    measured = results.Results("2 cores", {}, (results.Row("files", "CSV", results.OURS, 1.23456, 1234.56, 345.678),))
    results.write_results(measured, tmp_path / "results.json")
    (row,) = results.read_results(tmp_path / "results.json").rows
    assert (row.milliseconds, row.fastest, row.megabytes) == (1.23, 1230, 346)


def test_the_page_is_what_the_committed_results_give(results, page):
    committed = results.read_results(ROOT / "benchmarks" / "results.json")
    assert (ROOT / "docs" / "performance.md").read_text(encoding="utf-8") == page.page(committed)


def test_the_tables_of_the_guide_to_intervals_are_what_the_committed_results_give():
    coverage, page = import_module("benchmarks.coverage"), import_module("benchmarks.coverage_page")
    committed = coverage.read_results(coverage.RESULTS)
    text = page.GUIDE.read_text(encoding="utf-8")
    assert committed
    assert page.with_tables(text, committed) == text
    assert page.with_tables(text, {}) != text


def test_results_of_coverage_survive_the_file(tmp_path):
    coverage = import_module("benchmarks.coverage")
    setting, other = coverage.all_settings()[0], coverage.all_settings()[5]
    result = coverage.Result(400, 0.25, {kind: coverage.Tally(9, 10) for kind in coverage.KINDS})
    coverage.write_results(tmp_path / "some.json", {other: result, setting: result}, coverage.all_settings())
    assert list(coverage.read_results(tmp_path / "some.json").items()) == [(setting, result), (other, result)]


def test_what_people_get_is_what_is_measured(results, monkeypatch):
    """The mechanism and the posterior of those who name none; others are beside them under names of their own."""
    monkeypatch.syspath_prepend(ROOT)
    assert isinstance(import_module("benchmarks.releases").MECHANISMS[results.OURS], dc.Auto)
    rows = results.read_results(ROOT / "benchmarks" / "results.json").rows
    contenders = {(row.benchmark, row.contender) for row in rows}
    assert {("releases", "the same with Laplace"), ("queries", "any later question")} <= contenders


def test_plans_are_measured_in_beats_and_against_what_they_took_before(results, monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    planning = import_module("benchmarks.planning")
    seconds = {"beat": [1.0], "plan": [0.5], "auto": [0.3, 0.2], "chosen": [0.25, 0.15]}
    rows = planning._rows_of("alarm", seconds)
    measured = results.Results("2 cores", {}, tuple(rows))
    ratios = {(row.case, row.contender): row.ratio(measured.ours(row)) for row in rows if row.contender != results.OURS}
    assert ratios["plan of alarm", planning.BEAT] == 0.5
    assert ratios["plan of alarm", planning.BEFORE] == pytest.approx(0.5 / 2.4)
    assert ratios["Auto for alarm, once planned", planning.CHOSEN] == pytest.approx(0.2 / 0.15)
    assert {row.goal.value for row in rows if row.goal is not None} == {1, 1.5}
    assert all(row.goal.met(row, measured.ours(row)) for row in rows if row.goal is not None)
    slow = planning._rows_of("diabetes", seconds | {"plan": [5.1], "knorm": [2.1]})
    measured = results.Results("2 cores", {}, tuple(slow))
    missed = [row.case for row in slow if row.goal is not None and not row.goal.met(row, measured.ours(row))]
    assert missed == ["plan of diabetes", "K-norm release of diabetes, once planned"]


@pytest.fixture
def answers(results):
    return import_module("benchmarks.answers")


TOLD = {"seconds": 2.0, "processor": 3.0, "beat": 1.0, "megabytes": 300.0, "r_hat": 1.04}


@pytest.mark.parametrize(("r_hat", "met"), [(1.0499, True), (1.06, False)])
def test_first_answers_have_goals_in_beats_memory_and_agreement(results, page, answers, r_hat, met):
    rows = answers.rows_of("link", TOLD | {"r_hat": r_hat})
    measured = results.Results("2 cores", {}, tuple(rows))
    outcomes = {row.contender: row.goal.met(row, measured.ours(row)) for row in rows if row.goal is not None}
    assert outcomes == {results.OURS: True, answers.BEAT: True, answers.R_HAT: met}
    assert {row.case for row in rows} == {"first answer of link"}  # a number in it would leave older rows beside newer ones
    (agreed,) = (line for line in page.table(rows, measured) if "R-hat" in line)
    assert f"| {r_hat:.4g} |  | at most 1.05 | {'yes' if met else '**no**'} |" in agreed


def test_a_network_that_fails_costs_its_own_rows_and_says_why(results, page, answers, monkeypatch):
    monkeypatch.setattr(answers, "_BEATS", {"asia": 0.5, "diabetes": 30})
    monkeypatch.setattr(answers, "_release", lambda name, folder: folder / name)
    monkeypatch.setattr(answers, "_tiny_release", lambda folder: folder)
    monkeypatch.setattr(answers, "_rows_of_cache", lambda *_: [])

    def told(module, arguments, *_):
        if arguments[0].endswith("diabetes"):
            raise RuntimeError("diabetes failed: MemoryError")
        return TOLD

    monkeypatch.setattr(answers, "told_apart", told)
    rows = answers.run()
    written = page.page(results.Results("2 cores", {}, tuple(rows)))
    assert [row.milliseconds for row in rows if row.contender == results.OURS] == [2000.0, None]
    assert "not measured: RuntimeError: diabetes failed: MemoryError" in written
    assert "Not measured: 3." in written


def test_a_process_that_fails_says_its_last_line(results, answers):
    timing = import_module("benchmarks.timing")
    with pytest.raises(RuntimeError, match=r"nowhere.json failed: .*nowhere.json"):
        timing.told_apart("answers", ["nowhere.json", "nowhere.json"])
    with pytest.raises(RuntimeError, match=r"no answer in 0.01 s"):
        timing.told_apart("answers", ["nowhere.json"], longest=0.01)


def test_a_later_question_may_take_the_help_twice_and_loading_once(results, answers):
    turns = {results.OURS: [(1.2, 1.0)], answers.HELP: [(0.3, 0.3)], answers._LOADING: [(0.5, 0.4)]}
    rows = answers.rows_of_cache("second", turns)
    measured = results.Results("2 cores", {}, tuple(rows))
    (goal,) = (row for row in rows if row.goal is not None)
    assert (goal.contender, goal.ratio(measured.ours(goal))) == (answers.ALLOWED, pytest.approx(1.2 / 1.1))
    assert not goal.goal.met(goal, measured.ours(goal))


def test_a_value_survives_the_file(results, tmp_path):
    row = results.Row("scans", "alarm", "scans of the table", value=1.2345, goal=results.Goal(results.Kind.AT_MOST, 4))
    results.write_results(results.Results("2 cores", {}, (row,)), tmp_path / "results.json")
    (read,) = results.read_results(tmp_path / "results.json").rows
    assert (read.value, read.goal) == (1.234, row.goal)


def test_a_plan_that_fails_costs_its_own_rows(results, monkeypatch):
    planning = import_module("benchmarks.planning")

    def told(module, arguments, settings):
        if arguments[0] == "munin":
            raise RuntimeError("munin failed: MemoryError")
        return {"beat": [1.0], "plan": [0.5], "auto": [0.3], "chosen": [0.25], "knorm": [1.0]}

    monkeypatch.setattr(planning, "told_apart", told)
    rows = planning.run()
    assert [row.case for row in rows if row.reason] == ["plan of munin"]
    assert {"plan of pigs", "plan of diabetes"} <= {row.case for row in rows}

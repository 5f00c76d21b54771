"""Table 1: what is printed, what is true, and what is found are where they should be relative to one another."""

from fractions import Fraction

import pytest

from discreet import Network, Variable, naive_bayes
from discreet.chains.effort import Effort
from discreet.experiments import table1_measured
from discreet.experiments.table1 import COLUMNS, PARTS, table1, write_table1
from discreet.experiments.table1_measured import largest_move, most_odd


@pytest.fixture(scope="module")
def entries():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table1_measured, "_REPEATS", 4)
        patch.setattr(Effort, "usual", lambda cells: Effort(8, 10, 30))  # means need no long chains
        return table1(naive_bayes("y", ["a", "b", "c"]), 50, Fraction(2))


def named(entries, mechanism, start):
    return next(each for each in entries if each.mechanism == mechanism and each.quantity.startswith(start))


def test_honest_epsilons_are_not_exceeded_and_printed_ones_are(entries):
    for name in ("Laplace", "Fourier"):
        each = named(entries, name, "epsilon")
        assert each.measured == pytest.approx(each.corrected)
        assert each.corrected <= each.printed
    drawn = named(entries, "sampler as printed", "epsilon")
    assert drawn.printed < 0.98 * drawn.corrected < drawn.measured <= drawn.corrected
    point = named(entries, "MAP as printed", "epsilon")
    assert point.measured > 2 * point.printed


def test_corrected_bounds_hold_and_are_no_larger_than_printed_ones(entries):
    for name, start in (("Laplace", "largest noise"), ("Laplace", "divergence"), ("Fourier", "L1 error")):
        each = named(entries, name, start)
        assert 0.95 * each.measured < each.corrected <= each.printed
    failure = named(entries, "MAP as printed", "probability")
    assert failure.measured <= failure.corrected


def test_planned_errors_are_about_those_that_happen(entries):
    found = [each for each in entries if each.quantity.startswith("mean error")]
    assert {each.mechanism for each in found} == {"Laplace", "Fourier", "sampler", "MAP", "K-norm"}
    for each in found:
        assert each.printed is None
        assert each.measured == pytest.approx(each.corrected, rel=0.6)


def test_the_page_and_the_table_have_a_line_for_each_entry(entries, tmp_path):
    csv_path, page = write_table1(entries, tmp_path / "new", {"rows": 50}, 1.0)
    lines = csv_path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == ",".join(COLUMNS)
    assert len(lines) == 1 + len(entries)
    assert page.read_text(encoding="utf-8").count("\n| ") >= 2 + len(entries)


def test_more_than_two_levels_leave_out_what_needs_two(monkeypatch):
    monkeypatch.setattr(table1_measured, "_REPEATS", 1)
    monkeypatch.setattr(Effort, "usual", lambda cells: Effort(8, 10, 30))
    network = Network([Variable("a", ["0", "1", "2"]), Variable("b", ["0", "1"])], {"b": ["a"]})
    done = []
    found = table1(network, 50, Fraction(1), progress=done.append)
    assert {each.mechanism for each in found} == {"Laplace", "sampler", "MAP", "MAP as printed", "K-norm"}
    assert done == list(range(1, PARTS + 1))  # what is left out does not leave the progress bar short of its end


def test_replacements_that_move_most_are_found():
    import numpy as np

    network = naive_bayes("y", [f"x{place}" for place in range(16)])
    generator = np.random.default_rng(1)
    assert largest_move(network, generator) == 34
    assert most_odd(network, generator) == 32

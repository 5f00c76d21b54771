"""Where a column may be cut, from its declaration alone."""

import pytest

from discreet import ModelError, SchemaColumn
from discreet.learning.cut_grid import candidate_cuts


def column(low, high, kind="integer", **more):
    return SchemaColumn("x", kind, minimum=low, maximum=high, **more)


@pytest.mark.parametrize(
    ("low", "high", "step", "found"),
    [
        ("17", "40", "5", ("20", "25", "30", "35")),
        ("20", "40", 10, ("30",)),  # the bounds themselves would leave a part without records
        ("-1", "1", "0.5", ("-0.5", "0", "0.5")),
        ("-7", "-2", 2, ("-6", "-4")),
        ("0.25", "0.75", 0.1, ("0.3", "0.4", "0.5", "0.6", "0.7")),
    ],
)
def test_candidates_are_the_multiples_of_the_step_between_the_bounds(low, high, step, found):
    assert candidate_cuts(column(low, high, "number"), step) == found


@pytest.mark.parametrize(
    ("low", "high", "kind", "first", "last", "number"),
    [
        ("0", "3", "integer", "1", "2", 2),
        ("17", "90", "integer", "18", "89", 72),
        ("0", "500", "integer", "1", "499", 499),
        ("0", "501", "integer", "2", "500", 250),
        ("0", "1", "number", "0.002", "0.998", 499),
        ("1.5", "250000", "number", "500", "249500", 499),
        ("-1e-6", "1e-6", "number", "-0.000000995", "0.000000995", 399),
    ],
)
def test_without_a_step_a_round_one_makes_a_few_hundred_candidates(low, high, kind, first, last, number):
    found = candidate_cuts(column(low, high, kind), None)
    assert (found[0], found[-1], len(found)) == (first, last, number)


def test_a_list_is_taken_as_it_is_and_needs_no_bounds():
    assert candidate_cuts(SchemaColumn("x", "number"), ["1", "2.5"]) == ("1", "2.5")
    assert candidate_cuts(SchemaColumn("x", "date"), ["2020-01-01", "2021-01-01"]) == ("2020-01-01", "2021-01-01")


@pytest.mark.parametrize(
    ("given", "grid", "said"),
    [
        (SchemaColumn("x"), None, "is a string; only numbers and dates have cuts"),
        (SchemaColumn("x", "boolean"), None, "is a boolean"),
        (SchemaColumn("x", "number"), None, "has no bounds: add constraints"),
        (SchemaColumn("x", "number", minimum="0"), "1", "has no bounds: add constraints"),
        (SchemaColumn("x", "date"), "1", "dates, which have no step: give a list"),
        (column("0", "9", cuts=["5"]), None, "has levels already"),
        (SchemaColumn("x", "integer", categories=[1, 2]), None, "has levels already"),
        (column("0", "9"), "10", "has no candidate.*Give a smaller step"),
        (column("0", "9"), [], "has no candidate"),
        (column("0", "9000"), "1", "more than 1,000 candidates.*Give a larger step"),
        (column("0", "1e100", "number"), "1e-100", "more than 1,000 candidates"),
        (column("0", "9000"), [str(each) for each in range(1, 1002)], "more than 1,000 candidates"),
        (column("0", "9"), "0", "a positive number"),
        (column("0", "9"), "-1", "a positive number"),
        (column("0", "9"), "five", "a positive number"),
        (column("0", "9"), True, "a positive number"),
        (column("0", "9"), 7j, "The grid is a step such as"),
    ],
)
def test_what_cannot_be_cut_is_refused(given, grid, said):
    with pytest.raises(ModelError, match=said):
        candidate_cuts(given, grid)

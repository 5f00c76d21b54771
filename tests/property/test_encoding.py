"""One record must not change how another is encoded: the sensitivity of every count rests on it."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.optional import need

from discreet.data import code_batches
from discreet.errors import DataError, DomainError
from discreet.model.network import Network
from discreet.model.variable import Variable

VALUES = st.sampled_from(
    [
        0,
        1,
        2,
        7,
        1.0,
        0.0,
        2.5,
        0.1,
        True,
        False,
        "0",
        "1",
        "1.0",
        "2.5",
        "true",
        "True",
        "no",
        "yes",
        None,
        2**53,
        float(2**53),
    ]
)
LEVELS = st.lists(
    st.sampled_from(
        [
            "0",
            "1",
            "01",
            "1.0",
            "1.00",
            "2.5",
            "0.1",
            "1e0",
            "1_0",
            "true",
            "True",
            "FALSE",
            "no",
            "yes",
            "?",
            str(2**53),
            str(2**53 + 1),
        ]
    ),
    min_size=2,
    max_size=6,
    unique=True,
)


def code_of_first(value, companions, levels):
    """The level of a value in a column with companions: its number, or None where the table is refused."""
    pandas = need("pandas")
    network = Network([Variable("x", levels)])
    missing = "?" if "?" in levels else None
    try:
        batches = list(code_batches(pandas.DataFrame({"x": [value, *companions]}), network, missing=missing))
    except (DataError, DomainError):
        return None
    return int(np.concatenate([batch["x"] for batch in batches])[0])


@given(VALUES, st.lists(VALUES, max_size=3), st.lists(VALUES, max_size=3), LEVELS)
@example(1, [1], [None], ["01", "1", "?"])
@example(1.0, [1.0], ["no"], ["1", "1.0", "no"])
@example(True, [True], ["no"], ["0", "1", "True", "no"])
@example(2**53, [1], [None], [str(2**53), str(2**53 + 1), "?", "1"])
@example(2**53 + 1, [1], [None], [str(2**53), str(2**53 + 1), "?", "1"])
@example(2**53 + 1, [1], [None], ["1e+16", str(2**53), "?", "1"])
def test_a_value_has_the_same_level_whatever_the_other_records_are(value, some, others, levels):
    one, two = code_of_first(value, some, levels), code_of_first(value, others, levels)
    assert one is None or two is None or one == two


@pytest.mark.parametrize("levels", [["1", "1.0"], ["01", "1"], ["1", "true"], ["True", "TRUE"], ["0", "-0"], ["1e1", "10"]])
def test_levels_that_a_typed_column_cannot_tell_apart_are_refused(levels):
    pandas = need("pandas")
    with pytest.raises(DataError, match="cannot be told apart"):
        list(code_batches(pandas.DataFrame({"x": [levels[0]]}), Network([Variable("x", levels)])))


def test_a_text_file_can_tell_them_apart(tmp_path):
    (tmp_path / "x.csv").write_text("x\n01\n1\n")
    batches = list(code_batches(tmp_path / "x.csv", Network([Variable("x", ["1", "01"])])))
    assert batches[0]["x"].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("value", "level"),
    [(7.0, "007"), (1000.0, "1_000"), (float(2**53), str(2**53 + 1)), (1.5, "1.50"), (1.0, " 1"), (7, "007")],
)
def test_a_number_is_not_matched_to_a_level_written_in_another_way(value, level):
    pandas = need("pandas")
    with pytest.raises(DomainError):
        list(code_batches(pandas.DataFrame({"x": [value]}), Network([Variable("x", [level, "other"])])))


def test_a_float_too_large_for_whole_numbers_fits_no_level():
    import polars as pl

    for dtype, number in ((pl.Float64, 2**53), (pl.Float32, 2**24), (pl.Float64, 2**60)):
        network = Network([Variable("x", [str(number), str(number + 1)])])
        with pytest.raises(DomainError):
            list(code_batches(pl.DataFrame({"x": pl.Series([number + 1]).cast(dtype)}), network))
    small = Network([Variable("x", [str(2**24 - 1), "0"])])
    assert next(code_batches(pl.DataFrame({"x": pl.Series([2**24 - 1]).cast(pl.Float32)}), small))["x"].tolist() == [0]

"""One record must not change how another is read: not by the type that it gives a column, and not with a level for others."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from support.optional import need
from support.readings import AGE, AGE_UPPER, FOLDED, PLAIN, POINTS, TENTH, VISIT, WORDS

from discreet.data import code_batches
from discreet.errors import DataError, DomainError, FormatError
from discreet.model.exact_values import largest_at_most, smallest_at_least
from discreet.model.network import Network
from discreet.model.read_value import read_value
from discreet.model.reading import Reading, fold_text
from discreet.model.variable import Variable

BOOLEAN = Variable(
    "smoker",
    ["false", "true", "?"],
    Reading(spellings=(("True", "true"), ("False", "false"), ("1", "true"), ("0", "false")), other="?"),
)
VARIABLES = st.sampled_from([AGE, AGE_UPPER, FOLDED, TENTH, POINTS, PLAIN, WORDS, VISIT, BOOLEAN])
VALUES = st.one_of(
    st.sampled_from(
        [
            0,
            1,
            25,
            -9,
            2**53 + 1,
            2**62,
            1.0,
            0.1,
            0.3,
            0.1 + 0.2,
            25.0,
            -0.0,
            1e300,
            5e-324,
            1e22,
            True,
            False,
            "0",
            "1",
            "01",
            "1.0",
            "25",
            " 25",
            "24.999999999999999999",
            "true",
            "True",
            "no",
            "NO",
            "Köln",
            "NA",
            "",
            None,
            "2020-02-29",
            date(2020, 2, 29),
            datetime(2024, 2, 29, 13),  # noqa: DTZ001
            datetime(2020, 3, 1, 2, tzinfo=timezone(timedelta(hours=5))),
            datetime(2020, 2, 29, 23, tzinfo=UTC),
            date(9999, 12, 31),
            "1e22",
            "1e300",
            "5e-324",
            float("nan"),
            np.float32("nan"),
            np.float32(0.3),
            np.float16(0.3),
            Decimal("0.3"),
        ]
    ),
    st.floats(0, 40),
    st.integers(-30, 130),
    st.decimals(0, 1, places=2).map(str),
)


TABLES = st.sampled_from([dict, lambda columns: need("pandas").DataFrame(columns)])


def code_of_last(value, companions, variable, table):
    """The code of a value in a column whose first values are its companions; None where the table is refused."""
    try:
        batches = list(code_batches(table({variable.name: [*companions, value]}), Network([variable])))
    except (DataError, DomainError, FormatError):
        return None
    return int(np.concatenate([batch[variable.name] for batch in batches])[-1])


@given(VALUES, st.lists(VALUES, max_size=3), st.lists(VALUES, max_size=3), VARIABLES, TABLES)
@example(0.3, [], ["word"], TENTH, dict)
@example(1.0, [], ["word"], PLAIN, dict)
@example(1, [], [None], PLAIN, dict)
@example(True, [], ["word"], BOOLEAN, dict)
@example(float("nan"), [1.0], ["word"], AGE, dict)
@example(np.float32("nan"), [np.float32(1)], [1.0], AGE, dict)
@example(datetime(2020, 3, 1, 2, tzinfo=UTC), [datetime(2024, 2, 29, 13)], ["2024-02-29"], VISIT, dict)  # noqa: DTZ001
@example(np.float16(0.3), [], ["word"], TENTH, dict)
def test_a_value_is_read_alike_whatever_the_other_records_are(value, companions, others, variable, table):
    first, second = (code_of_last(value, beside, variable, table) for beside in (companions, others))
    assert first is None or second is None or first == second


@given(st.fractions(-1000, 1000), st.floats(-1000, 1000), st.sampled_from([float, np.float32]))
def test_a_float_is_beyond_a_cut_as_the_decimal_that_it_is_written_as_is(cut, value, kind):
    with np.errstate(all="ignore"):
        written = Fraction(str(kind(value)))
    assert (float(kind(value)) >= smallest_at_least(cut, kind)) == (written >= cut)
    assert (float(kind(value)) <= largest_at_most(cut, kind)) == (written <= cut)


@given(st.text(max_size=8))
def test_folding_twice_is_folding_once(text):
    assert fold_text(fold_text(text)) == fold_text(text)
    assert read_value(WORDS, text) == read_value(WORDS, f" {fold_text(text)}\t")

"""Raw values in files and frames: each is read as declared, whatever holds it, or its column is refused."""

import traceback
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from support.optional import need
from support.readings import (
    AGE,
    HIGH,
    LOW,
    MIDDLE,
    MISSING,
    NUMBERS,
    OTHER,
    PLAIN,
    POINTS,
    TEXTS,
    VISIT,
    cut,
    world,
)

from discreet.counts import family_counts
from discreet.data import code_batches
from discreet.errors import DataError, DomainError
from discreet.model.network import Network
from discreet.model.read_value import MISFIT, read_value
from discreet.model.reading import Reading, ValueKind
from discreet.model.variable import Variable

SECRET = "Sapphire-4711"


def codes_of(data, network, **options):
    batches = list(code_batches(data, network, **options))
    return {node: np.concatenate([batch[node] for batch in batches]).tolist() for node in batches[0] if node != "row"}


@pytest.mark.parametrize("name", [*TEXTS, *NUMBERS])
def test_the_reference_reads_one_value_at_a_time(name):
    variable, expected = {**TEXTS, **NUMBERS}[name]
    missing = variable.levels.index("gap")
    assert {value: missing if (code := read_value(variable, value)) is None else code for value in expected} == expected


def hold_csv(frame, folder):
    frame.write_csv(folder / "t.csv", quote_style="non_numeric")  # "" is a text, nothing at all is a gap
    return folder / "t.csv"


def hold_parquet(frame, folder):
    frame.write_parquet(folder / "t.parquet")
    return folder / "t.parquet"


def hold_ndjson(frame, folder):
    frame.write_ndjson(folder / "t.ndjson")
    return folder / "t.ndjson"


def hold_pandas(frame, folder):
    return need("pandas").DataFrame({name: pl.Series(frame[name]).to_list() for name in frame.columns})


HOLDERS = {
    "csv": hold_csv,
    "parquet": hold_parquet,
    "ndjson": hold_ndjson,
    "polars": lambda frame, folder: frame,
    "lazy": lambda frame, folder: frame.lazy(),
    "arrow": lambda frame, folder: frame.to_arrow(),
    "pandas": hold_pandas,
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_texts_in_files_and_frames_are_read_alike(holder, tmp_path):
    network, frame, codes = world(TEXTS)
    assert codes_of(HOLDERS[holder](frame, tmp_path), network) == codes


@pytest.mark.parametrize("holder", HOLDERS)
def test_numbers_in_files_and_frames_are_read_alike(holder, tmp_path):
    """Pandas makes floats of whole numbers with gaps, refused as texts; a text file has words for NaN and infinity."""
    columns = {name: each for name, each in NUMBERS.items() if name != "codes as whole numbers"}
    if holder in ("csv", "ndjson"):
        plain = {value: code for value, code in columns["floats"][1].items() if value is None or np.isfinite(value)}
        columns["floats"] = (AGE, plain)
    network, frame, codes = world(columns)
    assert codes_of(HOLDERS[holder](frame, tmp_path), network) == codes


def test_counts_of_a_file_are_those_of_its_codes(tmp_path):
    network, frame, codes = world(TEXTS)
    tables = family_counts(hold_parquet(frame, tmp_path), network)
    assert all(tables[name].argmax(axis=1).tolist() == expected for name, expected in codes.items())


def test_dates_and_moments_are_read_as_the_days_that_they_are():
    frame = pl.DataFrame(
        {
            "day": [date(2020, 2, 29), date(2024, 2, 29), None],
            "moment": [datetime(2020, 2, 29, 23, 59), datetime(2024, 2, 29), None],  # noqa: DTZ001
        }
    )
    network = Network([Variable("day", VISIT.levels, VISIT.reading), Variable("moment", VISIT.levels, VISIT.reading)])
    assert codes_of(frame, network) == {"day": [LOW, HIGH, MISSING], "moment": [LOW, HIGH, MISSING]}


def test_short_floats_and_exact_decimals_mean_what_they_are_written_as():
    short = cut("short", "0.7", "0.8")
    frame = pl.DataFrame({"short": pl.Series([0.7, 0.69, 0.8], dtype=pl.Float32)})
    assert codes_of(frame, Network([short])) == {"short": [MIDDLE, LOW, HIGH]}
    exact = pl.DataFrame({"age": pl.Series(["24.99", "25.00", None]).cast(pl.Decimal(6, 2))})
    assert codes_of(exact, Network([AGE])) == {"age": [LOW, MIDDLE, MISSING]}


def test_booleans_are_read_like_their_texts():
    smoker = Variable(
        "smoker", ["false", "true"], Reading(spellings=(("True", "true"), ("False", "false"), ("1", "true"), ("0", "false")))
    )
    network = Network([smoker])
    for values in ([True, False], ["True", "False"], ["true", "0"], [1, 0], [1.0, 0.0]):
        assert codes_of(pl.DataFrame({"smoker": values}), network) == {"smoker": [1, 0]}


@pytest.mark.parametrize(
    ("variable", "values"),
    [
        (PLAIN, [1.0, 2.0]),  # in a column with a word in it these would be the texts 1.0 and 2.0
        (PLAIN, [date(2020, 1, 1)]),
        (Variable("city", ["true", "false", "?"], Reading(other="?")), [True, False]),
        (AGE, [True, False]),
        (AGE, [date(2020, 1, 1)]),
        (VISIT, [20200101]),
        (VISIT, [datetime(2020, 1, 1, tzinfo=UTC)]),
        (AGE, [[1], [2]]),
    ],
    ids=lambda given: given.name if isinstance(given, Variable) else type(given[0]).__name__,
)  # fmt: skip
def test_a_type_that_could_change_the_level_of_a_value_is_refused(variable, values):
    with pytest.raises(DataError, match=f"'{variable.name}' is declared to hold {variable.reading.kind.value}s"):
        codes_of(pl.DataFrame({variable.name: values}), Network([variable]))


def test_a_column_of_gaps_alone_is_missing():
    assert codes_of(pl.DataFrame({"age": [None, None]}), Network([AGE])) == {"age": [MISSING, MISSING]}


@pytest.mark.parametrize(
    ("variable", "word"), [(cut("age", "25"), "number"), (cut("age", "2020-01-01", kind=ValueKind.DATE), "date")]
)
def test_a_misfit_names_the_column_and_never_the_value(variable, word, tmp_path):
    path = hold_csv(pl.DataFrame({"age": [SECRET, "25"]}), tmp_path)
    with pytest.raises(DomainError, match=f"'age'.*no {word}.*other") as caught:
        codes_of(path, Network([variable]))
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_missing_values_without_a_level_are_refused_or_left_open():
    age = cut("age", "25", missing_values=("-9",))
    frame = pl.DataFrame({"age": [20, -9]})
    with pytest.raises(DomainError, match="missing values"):
        codes_of(frame, Network([age]))
    assert codes_of(frame, Network([age]), partial=True) == {"age": [0, 2]}


def test_a_reading_says_what_the_table_calls_the_column(tmp_path):
    swapped = Network([cut("age", "25", column="bmi"), cut("bmi", "20", column="age")])
    frame = pl.DataFrame({"age": [19, 21], "bmi": [24, 26]})
    for holder in (hold_csv, hold_parquet, hold_ndjson):
        assert codes_of(holder(frame, tmp_path), swapped) == {"age": [0, 1], "bmi": [0, 1]}
    with pytest.raises(DataError, match="no column 'bmi'"):
        codes_of(frame.drop("bmi"), swapped)


def test_a_value_that_is_no_text_at_all_fits_nothing():
    assert read_value(PLAIN, object()) == OTHER
    assert read_value(cut("age", "25"), object()) == MISFIT
    assert read_value(POINTS, True) == OTHER


@pytest.mark.parametrize("columns", [TEXTS, NUMBERS], ids=["texts", "numbers"])
def test_values_that_are_alike_are_read_as_one_of_them_would_be(columns):
    """Where many are alike each is read once, and every record gets the code of its own value, gaps as well."""
    network, frame, codes = world(columns)
    places = np.random.default_rng(1).permutation(np.repeat(np.arange(frame.height), 5))
    found = codes_of(frame[places], network)
    assert found == {name: [expected[place] for place in places] for name, expected in codes.items()}


@pytest.mark.parametrize("kind", ["float32", "Float32", "float[pyarrow]"])
def test_a_gap_does_not_change_what_the_short_floats_beside_it_are_read_as(kind):
    """0.7 as a float of 32 bits lies below seven tenths, and is written 0.7."""
    pandas = need("pandas")
    share = cut("share", "0.7", missing="gap", further=["gap"])

    def found(last):
        return codes_of(pandas.DataFrame({"share": pandas.array([0.7, 0.7, last], dtype=kind)}), Network([share]))["share"]

    assert found(0.1) == [1, 1, 0]
    assert found(None) == [1, 1, 2]


def test_decimals_of_pandas_are_read_with_and_without_gaps():
    pandas, pyarrow = need("pandas"), need("pyarrow")
    share = cut("share", "0.7", missing="gap", further=["gap"])
    kind = pandas.ArrowDtype(pyarrow.decimal128(30, 20))
    for last, code in ((Decimal("0.1"), 0), (None, 2)):
        held = pandas.DataFrame({"share": pandas.array([Decimal("0.7"), last], dtype=kind)})
        assert codes_of(held, Network([share]))["share"] == [1, code]


@pytest.mark.parametrize("unit", ["D", "ms", "us", "ns"])
def test_days_in_an_array_are_read(unit):
    held = {"visit": np.array(["2020-02-29", "2020-03-01", "NaT"], dtype=f"datetime64[{unit}]")}
    assert codes_of(held, Network([VISIT]))["visit"] == [0, 1, VISIT.levels.index("gap")]


def test_times_of_several_zones_are_no_days_whatever_stands_before_them():
    abroad = datetime(2020, 3, 1, 2, tzinfo=timezone(timedelta(hours=5)))
    other = VISIT.levels.index("?")
    for first in (datetime(2019, 1, 1), date(2019, 1, 1), "2019-01-01"):  # noqa: DTZ001
        assert codes_of({"visit": [first, abroad]}, Network([VISIT]))["visit"] == [0, other]

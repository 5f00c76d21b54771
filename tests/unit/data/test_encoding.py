import gzip
import sys
import traceback

import numpy as np
import polars as pl
import pytest
from support.optional import need

from discreet.data import code_batches
from discreet.data import source as source_module
from discreet.data.matching import _comparisons
from discreet.errors import DataError, DiscreetError, DomainError, FormatError
from discreet.model.network import Network
from discreet.model.variable import Variable

SECRET = "Sapphire-4711"

NETWORK = Network([Variable("smoke", ["no", "yes"]), Variable("visits", ["0", "1", "2"])], {"visits": ["smoke"]})
ROWS = {"smoke": ["yes", "no", "no"], "visits": [2, 0, 1]}
CODES = {"smoke": [1, 0, 0], "visits": [2, 0, 1]}


def encode(data, network=NETWORK, **options):
    batches = list(code_batches(data, network, **options))
    return {node: np.concatenate([batch[node] for batch in batches]).tolist() for node in batches[0]}


def shown(error):
    """Everything that a user could see of an error: its message and its whole traceback, chained ones included."""
    return "".join(traceback.format_exception(error)) + repr(error.__context__) + repr(error.__cause__)


def csv(folder, text, name="table.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("make", [pl.DataFrame, pl.LazyFrame], ids=["eager", "lazy"])
def test_polars_frames_are_read(make):
    assert encode(make(ROWS)) == CODES


def test_pandas_frames_are_read_with_extra_columns_ignored():
    pandas = need("pandas")
    assert encode(pandas.DataFrame({**ROWS, "name": [SECRET] * 3})) == CODES


def test_pandas_categories_and_mixed_columns_are_read_by_their_text():
    pandas = need("pandas")
    frame = pandas.DataFrame({"smoke": pandas.Categorical(ROWS["smoke"]), "visits": pandas.Series([2, "0", 1], dtype=object)})
    assert encode(frame) == CODES


def test_pandas_whole_numbers_that_became_floats_are_still_matched():
    pandas = need("pandas")
    frame = pandas.DataFrame({"smoke": ["yes", "no"], "visits": [2.0, None]})
    network = Network([Variable("smoke", ["no", "yes"]), Variable("visits", ["0", "1", "2", "?"])])
    assert encode(frame, network, missing="?") == {"smoke": [1, 0], "visits": [2, 3]}


def test_pyarrow_tables_and_other_arrow_streams_are_read():
    pyarrow = need("pyarrow")
    table = pyarrow.table(ROWS)
    assert encode(table) == CODES

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return table.__arrow_c_stream__(requested_schema)

    assert encode(Stream()) == CODES


def test_csv_files_are_read_as_text_plain_and_compressed(tmp_path):
    text = "name,smoke,visits\nA,yes,2\nB,no,0\nC,no,1\n"
    packed = tmp_path / "table.csv.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert encode(csv(tmp_path, text)) == encode(str(packed)) == CODES


def test_a_csv_value_keeps_its_leading_zeros(tmp_path):
    network = Network([Variable("code", ["007", "7"])])
    assert encode(csv(tmp_path, "code\n7\n007\n"), network) == {"code": [1, 0]}


def test_parquet_files_are_read(tmp_path):
    pl.DataFrame(ROWS).write_parquet(tmp_path / "table.parquet")
    assert encode(tmp_path / "table.parquet") == CODES


def test_columns_may_have_any_name():
    network = Network([Variable("column_0", ["a", "b"]), Variable('odd "name", {x}', ["a", "b"])])
    frame = pl.DataFrame({'odd "name", {x}': ["a"], "column_0": ["b"]})
    assert encode(frame, network) == {"column_0": [1], 'odd "name", {x}': [0]}


@pytest.mark.parametrize(("levels", "codes"), [(["False", "True"], [1, 0]), (["1", "0"], [0, 1]), (["TRUE", "FALSE"], [0, 1])])
def test_booleans_are_matched_in_any_spelling(levels, codes):
    assert encode(pl.DataFrame({"x": [True, False]}), Network([Variable("x", levels)])) == {"x": codes}


def test_polars_categories_and_enums_are_matched_by_their_text():
    network = Network([Variable("x", ["b", "a"])])
    for dtype in (pl.Categorical, pl.Enum(["a", "b", "c"])):
        assert encode(pl.DataFrame({"x": pl.Series(["a", "b"], dtype=dtype)}), network) == {"x": [1, 0]}


def test_many_levels_are_encoded():
    network = Network([Variable("x", [str(i) for i in range(1000)])])
    for dtype in (pl.String, pl.Int32, pl.Float64):
        values = pl.Series([999, 254, 255, 0]).cast(dtype if dtype != pl.String else pl.Int64).cast(dtype)
        assert encode(pl.DataFrame({"x": values}), network) == {"x": [999, 254, 255, 0]}


@pytest.mark.parametrize(
    ("levels", "comparisons"),
    [
        (["no", "yes"], 2),
        (["thirteen byte", "twelve bytes", "åäöåäöå"], 5),
        (["employed full time", "employed part time", "unemployed"], 15),
        ([str(number) for number in range(9)], 9),
    ],
)
def test_texts_are_compared_with_levels_or_looked_up_whatever_is_faster_and_have_the_same_codes(tmp_path, levels, comparisons):
    assert _comparisons(levels) == comparisons
    almost = [level[:-1] + "?" for level in levels]
    pl.DataFrame({"x": [*reversed(levels), None]}).write_parquet(tmp_path / "levels.parquet")
    pl.DataFrame({"x": [levels[0], almost[-1]]}).write_parquet(tmp_path / "almost.parquet")
    network = Network([Variable("x", levels)])
    assert encode(tmp_path / "levels.parquet", network, partial=True) == {"x": [*reversed(range(len(levels))), len(levels)]}
    with pytest.raises(DomainError, match="not declared") as refused:
        encode(tmp_path / "almost.parquet", network)
    assert almost[-1] not in str(refused.value)


@pytest.mark.parametrize("make", [pl.DataFrame, pl.LazyFrame], ids=["eager", "lazy"])
def test_a_table_longer_than_a_batch_is_read_in_order(monkeypatch, make):
    monkeypatch.setattr(source_module, "BATCH_ROWS", 1000)
    monkeypatch.setattr(source_module, "SLICE_ROWS", 1000)
    visits = [i % 3 for i in range(3500)]
    told = []
    batches = list(code_batches(make({"smoke": ["no"] * 3500, "visits": visits}), NETWORK, progress=told.append))
    assert len(batches) > 1
    assert np.concatenate([batch["visits"] for batch in batches]).tolist() == visits
    assert told[-1] == 3500


def test_nulls_become_the_declared_level_for_missing_values():
    network = Network([Variable("x", ["a", "?"]), Variable("y", ["a", "b"])])
    assert encode(pl.DataFrame({"x": ["a", None], "y": ["a", "b"]}), network, missing="?") == {"x": [0, 1], "y": [0, 1]}


@pytest.mark.parametrize(
    "frame",
    [
        {"smoke": ["yes", SECRET], "visits": [0, 0]},
        {"smoke": ["yes", "no"], "visits": [0, 4711]},
        {"smoke": ["yes", "no"], "visits": [0.0, 0.4711]},
        {"smoke": [True, False], "visits": [0, 1]},
        {"smoke": ["yes", " no"], "visits": [0, 1]},
        {"smoke": ["yes", "No"], "visits": [0, 1]},
        {"smoke": [1, 2], "visits": [0, 1]},
    ],
    ids=["text", "integer", "float", "boolean", "space", "capital", "no numbers declared"],
)
def test_a_value_that_is_not_declared_is_an_error_that_does_not_show_it(frame):
    with pytest.raises(DomainError, match="not declared") as caught:
        encode(pl.DataFrame(frame))
    assert "'no', 'yes'" in str(caught.value) or "'0', '1', '2'" in str(caught.value)
    assert SECRET not in shown(caught.value)
    assert "4711" not in shown(caught.value)


@pytest.mark.parametrize("nothing", [[None, "no"], [None, None]])
def test_a_null_without_a_level_for_it_is_an_error(nothing):
    with pytest.raises(DomainError, match="'smoke' has missing values"):
        encode(pl.DataFrame({"smoke": nothing, "visits": [0, 1]}))


def test_a_level_for_missing_values_must_be_declared_somewhere():
    with pytest.raises(DataError, match="No variable declares"):
        encode(pl.DataFrame(ROWS), missing="?")


def test_a_missing_column_is_named_and_the_others_are_not_listed(tmp_path):
    path = csv(tmp_path, f"{SECRET},yes\nno,2\n")  # no header line: its first line is a record
    with pytest.raises(DataError, match="no column 'smoke'") as caught:
        encode(path)
    assert SECRET not in shown(caught.value)


def test_a_table_without_any_of_the_columns_is_refused_even_where_gaps_are_allowed():
    with pytest.raises(DataError, match="None of the table's columns"):
        encode(pl.DataFrame({"other": [1]}), partial=True)


@pytest.mark.parametrize("text", ["smoke,visits\n", "smoke,visits"])
def test_a_table_without_records_is_refused(tmp_path, text):
    with pytest.raises(DataError, match="no records"):
        encode(csv(tmp_path, text))


def test_an_empty_file_is_refused(tmp_path):
    with pytest.raises(DataError, match="is empty"):
        encode(csv(tmp_path, ""))


def test_a_column_that_occurs_twice_is_refused(tmp_path):
    with pytest.raises(DataError, match="'smoke' more than once"):
        encode(csv(tmp_path, "smoke,visits,smoke\nyes,1,no\n"))
    pandas = need("pandas")
    frame = pandas.DataFrame([["yes", 1, "no"]], columns=["smoke", "visits", "smoke"])
    with pytest.raises(DataError, match="'smoke' more than once"):
        encode(frame)
    pyarrow = need("pyarrow")
    table = pyarrow.Table.from_arrays([pyarrow.array(["yes"]), pyarrow.array(["no"])], names=["smoke", "smoke"])
    with pytest.raises(DataError, match="'smoke' more than once"):
        encode(table)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("table.csv", f"smoke,visits\nyes,1,{SECRET},x\n".encode()),
        ("table.csv", b"smoke,visits\n" + SECRET.encode() + b"\xff\xfe,1\n"),
        ("table.csv", b'smoke,visits\n"' + SECRET.encode() + b",1\n"),
        ("table.parquet", b"PAR1" + SECRET.encode()),
        ("table.csv.gz", b"\x1f\x8b\x08" + SECRET.encode()),
        ("table.csv.gz", SECRET.encode()),
        ("table.csv.gz", gzip.compress(b"smoke,visits\n" + b"yes,1\n" * 100_000)[:-200]),
        ("table.xlsx", SECRET.encode()),
    ],
    ids=["ragged", "not utf-8", "open quote", "not parquet", "bad gzip", "not gzip", "truncated gzip", "unknown kind"],
)
def test_a_damaged_file_is_an_error_of_ours_that_shows_none_of_it(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DiscreetError) as caught:
        encode(path)
    assert SECRET not in shown(caught.value)


def test_a_file_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(FormatError, match="There is no file"):
        encode(tmp_path / "nothing.csv")


def test_what_is_no_table_is_refused():
    with pytest.raises(DataError, match="not a table"):
        encode(42)


def test_a_column_of_lists_is_refused_with_its_type():
    with pytest.raises(DataError, match="'smoke' has type List"):
        encode(pl.DataFrame({"smoke": [["yes"]], "visits": [1]}))


def test_partial_records_leave_out_columns_and_number_gaps_past_the_last_level():
    assert encode(pl.DataFrame({"visits": [None, 2]}, schema={"visits": pl.Int64}), partial=True) == {"visits": [3, 2]}


def failing_frames():
    """Tables whose own engine fails with a message that quotes a record."""
    narwhals, pandas, pyarrow = need("narwhals"), need("pandas"), need("pyarrow")

    def explode(value):
        raise ValueError(f"udf {SECRET}")

    lazy = pl.LazyFrame({"smoke": [SECRET], "visits": [1]})
    yield "strict cast", lazy.with_columns(visits=pl.col("smoke").cast(pl.Int64))
    yield "narwhals", narwhals.from_native(lazy.with_columns(visits=pl.col("smoke").cast(pl.Int64)))
    yield "function of the user", lazy.with_columns(visits=pl.col("smoke").map_elements(explode, return_dtype=pl.Int64))
    yield "struct", pl.DataFrame({"smoke": [{SECRET: 1}], "visits": [1]})
    yield "huge integer", pandas.DataFrame({"smoke": ["no"], "visits": pandas.Series([10**60 + 4711], dtype=object)})
    yield "broken text", pandas.DataFrame({"smoke": pandas.Series([f"{SECRET}\udce9"], dtype=object), "visits": [1]})
    yield "series", pandas.Series([SECRET], name="smoke")

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            def batches():
                yield pyarrow.record_batch({"smoke": ["no"], "visits": [1]})
                raise ValueError(SECRET)

            schema = pyarrow.schema({"smoke": pyarrow.string(), "visits": pyarrow.int64()})
            return pyarrow.RecordBatchReader.from_batches(schema, batches()).__arrow_c_stream__(requested_schema)

    yield "stream", Stream()


@pytest.mark.parametrize(
    "name",
    ["strict cast", "narwhals", "function of the user", "struct", "huge integer", "broken text", "series", "stream"],
)
def test_an_error_of_the_engine_is_replaced_and_shows_no_record(name):
    with pytest.raises(DiscreetError) as caught:
        encode(dict(failing_frames())[name])
    assert SECRET not in shown(caught.value)
    assert "4711" not in shown(caught.value)
    assert caught.value.__context__ is None


def test_the_advice_for_gaps_is_not_to_drop_records():
    with pytest.raises(DomainError, match="Do not drop the records"):
        encode(pl.DataFrame({"smoke": [None, "no"], "visits": [0, 1]}))


def test_ndjson_files_are_read_by_the_text_of_each_value(tmp_path):
    path = tmp_path / "table.ndjson"
    path.write_text(
        '{"smoke": "yes", "visits": 2}\n{"visits": "0", "smoke": "no", "extra": [1]}\n{"smoke": "no", "visits": 1}\n'
    )
    assert encode(path) == CODES
    path.write_text('{"smoke": "yes"}\n')
    with pytest.raises(DomainError, match="'visits' has missing values"):
        encode(path)
    path.write_text(f'{{"smoke": "yes", "visits": {SECRET}\n')
    with pytest.raises(DiscreetError) as caught:
        encode(path)
    assert SECRET not in shown(caught.value)


def test_a_pattern_reads_all_files_in_order_of_name(tmp_path):
    for kind in ("csv", "parquet", "ndjson"):
        for number, rows in (("1", slice(0, 1)), ("2", slice(1, 3))):
            frame = pl.DataFrame({name: values[rows] for name, values in ROWS.items()})
            getattr(frame, f"write_{kind}")(tmp_path / f"part-{number}.{kind}")
        assert encode(str(tmp_path / f"part-*.{kind}")) == CODES
    with pytest.raises(FormatError, match="not all files are"):
        encode(str(tmp_path / "part-*"))
    with pytest.raises(FormatError, match="There is no file"):
        encode(str(tmp_path / "nothing-*.csv"))


@pytest.mark.parametrize("kind", ["csv", "parquet", "ndjson", "arrow"])
def test_a_file_is_what_it_is_called_even_if_that_looks_like_a_pattern(tmp_path, kind):
    for name, row in (("part[1]", 0), ("part1", 1), ("par?1", 2)):
        frame = pl.DataFrame({column: values[row : row + 1] for column, values in ROWS.items()})
        getattr(frame, "write_ipc" if kind == "arrow" else f"write_{kind}")(tmp_path / f"{name}.{kind}")
        assert encode(str(tmp_path / f"{name}.{kind}")) == {column: codes[row : row + 1] for column, codes in CODES.items()}


def test_csv_files_of_one_table_must_share_their_header(tmp_path):
    csv(tmp_path, "smoke,visits\nyes,2\n", "a.csv")
    csv(tmp_path, "visits,smoke\n0,no\n", "b.csv")
    with pytest.raises(DataError, match="another header line"):
        encode(str(tmp_path / "*.csv"))


def test_a_line_with_too_many_fields_is_noticed_among_columns_that_are_not_asked_for(tmp_path):
    with pytest.raises(FormatError):
        encode(csv(tmp_path, "smoke,visits,name\nyes,2,a\nno,0,b,c\n"))


def test_a_csv_column_may_have_quotation_marks_in_its_name(tmp_path):
    network = Network([Variable('the "x"', ["a", "b"])])
    assert encode(csv(tmp_path, '"the ""x""",other\nb,1\na,2\n'), network) == {'the "x"': [1, 0]}


def test_files_are_read_without_the_library_for_other_data_frames(tmp_path, monkeypatch):
    """Importing it takes as long as reading a million records."""
    pl.DataFrame({"a": ["0", "1"]}).write_parquet(tmp_path / "table.parquet")
    monkeypatch.setitem(sys.modules, "narwhals", None)
    [batch] = code_batches(tmp_path / "table.parquet", Network([Variable("a", ["0", "1"])]))
    assert batch["a"].tolist() == [0, 1]

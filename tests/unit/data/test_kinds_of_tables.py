"""Tables that people have: several files, folders, Arrow, workbooks, statistics files, dicts, an index of pandas."""

import datetime as dt
import io
import sys
import traceback

import numpy as np
import polars as pl
import pytest
from support.bits import FailingBits, SeededBits
from support.optional import need

from discreet import Csv, DataError, DiscreetError, Excel, FormatError, LinearModel, Unit, declare
from discreet.counts.moments import moments
from discreet.data import code_batches
from discreet.data.engines import engine_frame
from discreet.data.persons import read_persons
from discreet.data.source import estimated_rows
from discreet.model.network import Network
from discreet.model.reading import Reading, ValueKind
from discreet.model.variable import Variable

SECRET = "Sapphire-4711"
NETWORK = Network([Variable("smoke", ["no", "yes"]), Variable("visits", ["0", "1", "2"])])
ROWS = {"smoke": ["yes", "no", "no"], "visits": [2, 0, 1]}
CODES = {"smoke": [1, 0, 0], "visits": [2, 0, 1]}
FRAME = pl.DataFrame(ROWS)
DAY = dt.date(2024, 2, 29)


def encode(data, network=NETWORK, **options):
    batches = list(code_batches(data, network, **options))
    return {node: np.concatenate([batch[node] for batch in batches]).tolist() for node in batches[0]}


def write_sheets(path, sheets):
    xlsxwriter = need("xlsxwriter")
    need("fastexcel")
    with xlsxwriter.Workbook(str(path)) as book:
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for place, row in enumerate(rows):
                for column, value in enumerate(row):
                    if isinstance(value, dt.date):
                        sheet.write_datetime(place, column, value, day)
                    elif isinstance(value, str):
                        sheet.write_string(place, column, value)
                    elif value is not None:
                        sheet.write(place, column, value)
    return path


def records(frame=FRAME):
    return [frame.columns, *frame.rows()]


# Several files


def test_a_list_of_files_is_one_table_in_its_order(tmp_path):
    for kind in ("csv", "parquet", "ndjson", "ipc"):
        ending = {"ipc": "arrow"}.get(kind, kind)
        paths = [tmp_path / f"b.{ending}", str(tmp_path / f"a.{ending}")]
        getattr(FRAME[:1], f"write_{kind}")(paths[0])
        getattr(FRAME[1:], f"write_{kind}")(paths[1])
        assert encode(paths) == encode(tuple(paths)) == CODES


def test_a_file_that_is_given_twice_is_refused(tmp_path):
    FRAME.write_csv(tmp_path / "a.csv")
    (tmp_path / "link.tsv").hardlink_to(tmp_path / "a.csv")
    for other in (f"{tmp_path}/../{tmp_path.name}/a.csv", tmp_path / "*.csv", tmp_path / "link.tsv"):
        twice = [tmp_path / "a.csv", other]
        with pytest.raises(DataError, match="given more than once"):
            encode(twice)
    with pytest.raises(FormatError, match="list of files is empty"):
        encode([])


def test_a_folder_is_all_of_its_files_but_those_that_programs_leave_for_themselves(tmp_path):
    folder = tmp_path / "table.parquet"
    folder.mkdir()
    FRAME[:1].write_parquet(folder / "part-1.parquet")
    FRAME[1:].write_parquet(folder / "part-2.parquet")
    (folder / "_SUCCESS").touch()
    (folder / ".part-1.parquet.crc").write_bytes(b"crc")
    assert encode(folder) == CODES
    assert estimated_rows(folder) == 3
    (folder / "notes.txt").write_text("not a table")
    with pytest.raises(FormatError, match="not all files are"):
        encode(folder)


def test_a_folder_with_folders_in_it_is_refused(tmp_path):
    (tmp_path / "year=2024").mkdir()
    FRAME.write_parquet(tmp_path / "year=2024" / "part.parquet")
    with pytest.raises(DataError, match="has folders in it"):
        encode(tmp_path)
    assert encode(str(tmp_path / "**" / "*.parquet")) == CODES


def test_an_empty_folder_is_said_so(tmp_path):
    with pytest.raises(FormatError, match="no file in the folder"):
        encode(tmp_path)


def test_a_folder_of_text_files_may_be_written_in_any_way(tmp_path):
    (tmp_path / "1.txt").write_text("smoke;visits\nyes;2\n")
    (tmp_path / "2.txt").write_text("smoke;visits\nno;0\nno;1\n")
    assert encode(Csv(tmp_path, ";")) == encode(Csv([tmp_path / "1.txt", tmp_path / "2.txt"], ";", "cp1252")) == CODES


# Arrow and Feather


@pytest.mark.parametrize("name", ["table.arrow", "table.feather", "table.ipc"])
def test_arrow_files_are_read(tmp_path, name):
    FRAME.with_columns(pl.col("smoke").cast(pl.Categorical)).write_ipc(tmp_path / name)
    assert encode(tmp_path / name) == CODES


def test_an_arrow_stream_in_a_file_is_refused_in_our_words(tmp_path):
    FRAME.with_columns(smoke=pl.lit(SECRET)).write_ipc_stream(tmp_path / "table.arrow")
    with pytest.raises(DiscreetError) as caught:
        encode(tmp_path / "table.arrow")
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    line = str(caught.value).partition("In Polars: ")[2]
    assert "read_ipc_stream" in line


# Workbooks


def test_a_workbook_is_read_by_the_text_of_each_cell(tmp_path):
    path = write_sheets(tmp_path / "table.xlsx", {"Sheet1": records()})
    assert encode(path) == encode(Excel(path)) == encode(Excel(path, "Sheet1")) == encode([path]) == CODES


def test_a_cell_is_read_the_same_whatever_stands_in_the_others(tmp_path):
    """A number, a date or a truth value beside a word in the same column."""
    network = Network([Variable("x", ["1", "0.5", "true", "2024-02-29", "007", "word", "?"]), Variable("id", ["1", "2"])])
    for value, code in ((1, 0), (1.0, 0), (0.5, 1), (True, 2), (DAY, 3), ("007", 4), ("1", 0), (None, 6)):
        for other in ("word", 1, 0.5, DAY, None):
            path = write_sheets(tmp_path / "table.xlsx", {"one": [["x", "id"], [value, 1], [other, 2]]})
            assert encode(path, network, missing="?")["x"][0] == code


def test_a_column_of_a_workbook_may_be_called_by_a_number(tmp_path):
    path = write_sheets(tmp_path / "table.xlsx", {"one": [[2024, "id"], [1, 1], [0.5, 2]]})
    assert encode(path, Network([Variable("2024", ["0.5", "1"])])) == {"2024": [1, 0]}


def test_a_workbook_with_several_sheets_needs_the_name_of_one(tmp_path):
    path = write_sheets(tmp_path / "table.xlsx", {"notes": [[SECRET]], "2024": records()})
    with pytest.raises(FormatError, match="has several sheets") as caught:
        encode(path)
    assert SECRET not in str(caught.value)
    assert encode(Excel(path, "2024")) == CODES
    with pytest.raises(FormatError, match="has no sheet '2023'"):
        encode(Excel(path, "2023"))


def test_a_blank_row_of_a_sheet_is_refused(tmp_path):
    """At the end of a sheet it would not be seen, so a record there has at least one value."""
    rows = records()
    path = write_sheets(tmp_path / "table.xlsx", {"one": [*rows[:2], [None, None], *rows[2:]]})
    with pytest.raises(FormatError, match="every cell is blank"):
        encode(path)


def test_a_row_without_a_declared_value_is_a_record(tmp_path):
    path = write_sheets(tmp_path / "table.xlsx", {"one": [["smoke", "id"], ["yes", 1], [None, 2], [None, 3]]})
    network = Network([Variable("smoke", ["yes", "?"])])
    assert encode(path, network, missing="?") == {"smoke": [0, 1, 1]}


def test_a_sheet_with_a_declared_column_twice_is_refused_and_others_may_be_called_anything(tmp_path):
    path = write_sheets(tmp_path / "twice.xlsx", {"one": [["smoke", "smoke"], ["yes", "no"]]})
    with pytest.raises(DataError, match="'smoke' more than once"):
        encode(path)
    odd = [[*ROWS, "x", "x", None], *([*row, "1", "2", "3"] for row in FRAME.rows())]
    assert encode(write_sheets(tmp_path / "odd.xlsx", {"one": odd})) == CODES


def test_workbooks_of_one_table_must_share_their_header(tmp_path):
    one = write_sheets(tmp_path / "1.xlsx", {"one": records(FRAME[:1])})
    two = write_sheets(tmp_path / "2.xlsx", {"one": records(FRAME[1:])})
    assert encode([one, two]) == CODES
    write_sheets(two, {"one": records(FRAME.select("visits", "smoke"))})
    with pytest.raises(DataError, match="different header rows"):
        encode([one, two])


def test_a_workbook_serves_a_regression(tmp_path):
    path = write_sheets(tmp_path / "table.xlsx", {"one": [["a", "b"], [0.5, 1], [1, 0]]})
    model = LinearModel({"a": (0, 1)}, ("b", (0, 1)))
    assert moments(path, model).products.tolist() == moments({"a": [0.5, 1], "b": [1, 0]}, model).products.tolist()


def test_a_damaged_or_empty_workbook_is_refused_in_our_words(tmp_path):
    need("fastexcel")
    (tmp_path / "table.xlsx").write_bytes(b"PK\x03\x04" + SECRET.encode())
    with pytest.raises(DiscreetError) as caught:
        encode(tmp_path / "table.xlsx")
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    with pytest.raises(DataError, match="is empty"):
        encode(write_sheets(tmp_path / "empty.xlsx", {"one": []}))


def test_what_is_not_a_workbook_or_a_sheet_is_refused():
    with pytest.raises(DataError, match="is not a file"):
        Excel(7)
    with pytest.raises(FormatError, match="named by a text"):
        Excel("table.xlsx", 2)


# SPSS, Stata and SAS


def write_statistics(path, frame, **options):
    pyreadstat = need("pyreadstat")
    {".sav": pyreadstat.write_sav, ".dta": pyreadstat.write_dta}[path.suffix](frame, str(path), **options)
    return path


@pytest.mark.parametrize("kind", [".sav", ".dta"])
def test_statistics_files_are_read_by_their_codes(tmp_path, kind):
    network = Network([Variable("sex", ["1", "2", "?"]), Variable("name", ["é", "x"])])
    frame = pl.DataFrame({"sex": [1.0, 2.0, None], "name": ["é", "x", "x"], "other": [1, 2, 3]})
    path = write_statistics(tmp_path / f"table{kind}", frame, variable_value_labels={"sex": {1: SECRET, 2: "woman"}})
    assert encode(path, network, missing="?") == {"sex": [0, 1, 2], "name": [0, 1, 1]}


def test_codes_of_spss_for_missing_values_are_codes(tmp_path):
    frame = pl.DataFrame({"sex": [1.0, -9.0]})
    path = write_statistics(tmp_path / "table.sav", frame, missing_ranges={"sex": [-9.0]})
    assert encode(path, Network([Variable("sex", ["1", "-9"])])) == {"sex": [0, 1]}


def test_several_statistics_files_are_one_table(tmp_path):
    frame = FRAME.with_columns(pl.col("visits").cast(pl.Float64))
    paths = [write_statistics(tmp_path / f"{name}.sav", part) for name, part in (("a", frame[:1]), ("b", frame[1:]))]
    assert encode(paths) == CODES


@pytest.mark.parametrize("last", [1.0, None])
def test_columns_of_stata_have_the_types_that_the_file_declares(tmp_path, last):
    """A short float means the decimal that it is written as, and a gap makes no float of a whole number."""
    pandas = need("pandas")
    share = Variable("share", ["<0.7", ">=0.7", "?"], Reading(ValueKind.NUMBER, cuts=("0.7",), missing="?"))
    code = Variable("code", ["1", "2", "(other)", "?"], Reading(other="(other)", missing="?"))
    need("pyreadstat")
    frame = pandas.DataFrame({"share": np.array([0.7, last], dtype="float32"), "code": pandas.array([1, last], dtype="Int32")})
    frame.to_stata(tmp_path / "table.dta", write_index=False)
    expected = {"share": [1, 1], "code": [0, 0]} if last else {"share": [1, 2], "code": [0, 3]}
    assert encode(tmp_path / "table.dta", Network([share, code])) == expected


@pytest.mark.parametrize("kind", [".sav", ".dta"])
def test_a_file_of_which_a_column_is_empty_goes_with_the_others(tmp_path, kind):
    need("pandas")
    parts = [pl.DataFrame({"sex": pl.Series(held, dtype=pl.Float64)}).to_pandas() for held in ([1.0, 2.0], [None, None])]
    paths = [write_statistics(tmp_path / f"{place}{kind}", part) for place, part in enumerate(parts)]
    assert encode(paths, Network([Variable("sex", ["1", "2", "?"])]), missing="?") == {"sex": [0, 1, 2, 2]}


def test_a_statistics_file_without_the_column_is_told_so(tmp_path):
    path = write_statistics(tmp_path / "table.sav", FRAME.rename({"smoke": "smoking"}))
    with pytest.raises(DataError, match="no column 'smoke'"):
        encode(path)


@pytest.mark.parametrize("kind", [".sav", ".dta", ".sas7bdat"])
def test_a_damaged_statistics_file_is_refused_in_our_words(tmp_path, kind):
    need("pyreadstat")
    (tmp_path / f"table{kind}").write_bytes(SECRET.encode() * 100)
    with pytest.raises(DiscreetError) as caught:
        encode(tmp_path / f"table{kind}")
    assert SECRET not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [("t.xlsx", "fastexcel", "excel"), ("t.sav", "pyreadstat", "statistics"), ("t.sas7bdat", "pyreadstat", "statistics")],
)
def test_a_reader_that_is_not_installed_says_what_to_install(tmp_path, monkeypatch, name, module, extra):
    (tmp_path / name).write_bytes(b"anything")
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr("discreet.data.extras.find_spec", lambda _: None)
    with pytest.raises(FormatError, match=rf'pip install "discreet\[{extra}\]"'):
        encode(tmp_path / name)


# Tables in memory


@pytest.mark.parametrize(
    "table",
    [
        ROWS,
        {"smoke": tuple(ROWS["smoke"]), "visits": np.array(ROWS["visits"])},
        {"smoke": np.array(ROWS["smoke"]), "visits": pl.Series(ROWS["visits"])},
        {"smoke": np.array(ROWS["smoke"], dtype=object), "visits": ["2", 0, 1.0]},
        {**ROWS, "unused": [[1], {2}, SECRET]},
    ],
    ids=["lists", "tuple and array", "array and series", "mixed", "unused"],
)
def test_a_dict_of_columns_is_a_table(table):
    mixed = "unused" not in table and isinstance(table["visits"], list) and "2" in table["visits"]
    network = Network([NETWORK.variables[0], Variable("visits", ["0", "1.0", "2"])]) if mixed else NETWORK
    assert engine_frame(table) is None
    assert encode(table, network) == CODES


def test_a_dict_of_pandas_series_is_a_table():
    pandas = need("pandas")
    assert encode({"smoke": pandas.Series(ROWS["smoke"]), "visits": pandas.Series([2.0, 0, 1])}) == CODES


@pytest.mark.parametrize(
    ("table", "advice"),
    [
        ({"smoke": ["yes", SECRET], "visits": [1]}, "differ in length"),
        ({"smoke": SECRET, "visits": [1]}, "not a column"),
        ({"smoke": 3, "visits": 4}, "not a column"),
        ({"smoke": {"yes": SECRET}, "visits": [1]}, "not a column"),
        ({1: ["yes"], 2: [1]}, "has names for them"),
        ({"smoke": np.array([["yes"]]), "visits": [1]}, "more than one dimension"),
        ({"smoke": [], "visits": []}, "no records"),
        ({}, "None of the table's columns|no column"),
        ({"visits": [1]}, "no column 'smoke'"),
    ],
)
def test_a_dict_that_is_no_table_is_refused(table, advice):
    with pytest.raises(DataError, match=advice) as caught:
        encode(table)
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_a_declared_index_of_pandas_is_a_column():
    pandas = need("pandas")
    frame = pandas.DataFrame(ROWS)
    assert encode(frame.set_index("smoke")) == encode(frame.set_index(["smoke", "visits"])) == CODES
    assert encode(frame.assign(id=[7, 8, 9]).set_index("id")) == CODES


def test_an_index_that_is_called_like_a_column_is_refused():
    pandas = need("pandas")
    frame = pandas.DataFrame(ROWS, index=pandas.Index(["no", "no", "no"], name="smoke"))
    with pytest.raises(DataError, match="as a column and as its index"):
        encode(frame)


def test_long_numbers_of_a_sheet_do_not_tell_persons_apart(tmp_path):
    """A workbook has floats alone: these two come here as one."""
    numbers = [["id", "smoke"], [12345678901234567, "yes"], [12345678901234568, "no"]]
    with pytest.raises(DataError, match="more than 15 digits"):
        read_persons(write_sheets(tmp_path / "long.xlsx", {"one": numbers}), ["smoke"], Unit.person("id"), FailingBits().read)
    short = write_sheets(tmp_path / "short.xlsx", {"one": [["id", "smoke"], [123456789012345, "yes"], ["7A", "no"]]})
    assert read_persons(short, ["smoke"], Unit.person("id"), SeededBits(1).read).shares.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        ([{"smoke": "yes"}], "pl.DataFrame"),
        (np.array([["yes"]]), "pl.DataFrame"),
        (pl.Series("smoke", ["yes"]), "is not a table"),
        (lambda: need("pandas").Series(["yes"], name="smoke"), "is not a table"),
        (io.BytesIO(b"smoke"), "Csv"),
    ],
    ids=["list", "array", "series", "pandas", "stream"],
)
def test_what_is_no_table_is_told_what_makes_one_of_it(data, advice):
    with pytest.raises(DataError, match="is not a table") as caught:
        encode(data() if callable(data) else data)
    assert advice in str(caught.value)


@pytest.mark.parametrize("name", ["table.txt", "table.dat", "table"])
def test_text_under_another_name_needs_what_separates_its_fields(tmp_path, name):
    (tmp_path / name).write_text("smoke\tvisits\nyes\t2\n")
    with pytest.raises(FormatError, match="say what separates its fields"):
        encode(tmp_path / name)
    assert encode(Csv(tmp_path / name, "tab")) == {"smoke": [1], "visits": [2]}


def test_another_file_under_the_name_of_a_parquet_file_is_told_so(tmp_path):
    (tmp_path / "table.parquet").write_text(f"smoke,visits\n{SECRET},2\n")
    for read in (encode, declare):
        with pytest.raises(FormatError, match="not of the kind that its name says"):
            read(tmp_path / "table.parquet")

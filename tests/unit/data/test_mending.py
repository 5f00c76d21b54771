"""Where a table is refused, the message has a line of Polars that mends it: the line is run, and its table is read."""

import polars as pl
import pytest
from support.optional import need

from discreet import DiscreetError, LinearModel
from discreet.counts import family_counts
from discreet.counts.moments import moments
from discreet.data import code_batches
from discreet.model.network import Network
from discreet.model.variable import Variable

NETWORK = Network([Variable("a", ["x", "y", 'x"', "unknown"]), Variable("b", ["x", "y"])])


def line_of(data, read):
    with pytest.raises(DiscreetError) as caught:
        read(data)
    said = str(caught.value).partition("In Polars: ")[2] or str(caught.value).partition("no record: ")[2]
    assert said.startswith(("pl.", "frame.")), "the message has no line"
    return said.removesuffix(" Its content is not shown here because it is private.")


def rows(data):
    return sum(len(batch["a"]) for batch in code_batches(data, NETWORK))


FILES = {
    "misplaced.csv": (b'a,b\nx",y\nx,x\n', 2),
    "returns.csv": (b"a,b\rx,y\ry,x\r", 2),
    "blank.ndjson": (b'{"a": "x", "b": "y"}\n\n{"a": "y", "b": "y"}\n', 2),
    "table.json": (b'[{"a": "x", "b": "y"}]', 1),
}


@pytest.mark.parametrize("name", FILES)
def test_a_refused_file_is_mended_by_the_line_in_the_message(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    content, expected = FILES[name]
    (tmp_path / name).write_bytes(content)
    exec(line_of(name, rows), {"pl": pl})
    assert rows("records.parquet") == expected


def test_an_arrow_stream_is_mended(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"a": ["x"], "b": ["y"]}).write_ipc_stream("table.arrow")
    exec(line_of("table.arrow", rows), {"pl": pl})
    assert rows("records.parquet") == 1


def test_files_with_different_header_lines_are_mended(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "1.csv").write_text("a,b\nx,y\n")
    (tmp_path / "2.csv").write_text("b,a\ny,x\n")
    exec(line_of(["1.csv", "2.csv"], rows), {"pl": pl})
    assert family_counts("records.parquet", NETWORK)["a"].tolist() == [[2, 0, 0, 0]]


def test_a_sheet_with_a_blank_row_is_mended(tmp_path, monkeypatch):
    need("fastexcel")
    monkeypatch.chdir(tmp_path)
    with need("xlsxwriter").Workbook("table.xlsx") as book:
        sheet = book.add_worksheet()
        for place, row in ((0, "ab"), (1, "xy"), (3, "yy")):
            sheet.write_row(place, 0, list(row))
    exec(line_of("table.xlsx", rows), {"pl": pl})
    assert rows("records.parquet") == 2


@pytest.mark.parametrize(
    ("frame", "read"),
    [
        (pl.DataFrame({" A ": ["x"], "b": ["y"]}), rows),
        (pl.DataFrame({"a": [None, "x"], "b": ["y", "y"]}), rows),
        (pl.DataFrame({"a": [b"x"], "b": ["y"]}), rows),
        (pl.DataFrame({"a": [["x"]], "b": ["y"]}), rows),
    ],
    ids=["name", "gap", "bytes", "list"],
)
def test_a_refused_frame_is_mended_by_the_line_in_the_message(frame, read):
    mended = eval(line_of(frame, read), {"pl": pl, "frame": frame})
    assert read(mended) == frame.height


def test_a_value_that_is_not_declared_is_mended_with_its_own_words():
    frame = pl.DataFrame({"a": ["X"], "b": ["y"]})
    line = line_of(frame, rows).replace("as it is", "X").replace("as declared", "x")
    assert rows(eval(line, {"pl": pl, "frame": frame})) == 1


@pytest.mark.parametrize("values", [["1", "0"], [1.0, None]], ids=["text", "gap"])
def test_a_column_of_a_regression_is_mended(values):
    model = LinearModel({"a": (0, 1)}, ("b", (0, 1)))
    frame = pl.DataFrame({"a": values, "b": [0, 1]})
    mended = eval(line_of(frame, lambda data: moments(data, model)), {"pl": pl, "frame": frame})
    assert moments(mended, model).rows == 2

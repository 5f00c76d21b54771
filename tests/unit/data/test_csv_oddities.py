"""One table of odd CSV files: all of them have one meaning, and no record changes how many there are."""

import gzip
import traceback
import zlib

import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.csv_oddities import GAP, NARROW, READ, REFUSED, WIDE

from discreet import DiscreetError, FormatError, LinearModel
from discreet.counts import family_counts
from discreet.counts.moments import moments
from discreet.data.source import batches, open_table
from discreet.data.text_files import TextFile
from discreet.data.text_files import check_csv as check_file
from discreet.model.network import Network
from discreet.model.variable import Variable

SECRET = "Sapphire-4711"
LEVELS = ["x", "y", "na"]
NETWORK = Network([Variable("a", LEVELS), Variable("b", LEVELS)], {"b": ["a"]})
ONE_NODE = Network([Variable("a", LEVELS)])


def read(path):
    """All records of a file, as the encoding of networks and numbers gets them."""
    source = open_table(path, ("a", "b"))
    columns = source.frame.collect_schema().names()
    return [row for batch in batches(source, [pl.col(name) for name in columns]) for row in batch.rows()]


def check_csv(path, width):
    check_file(TextFile(path.name, path), width)


def written(folder, content, name="odd.csv"):
    path = folder / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


@pytest.mark.parametrize("oddity", READ, ids=str)
def test_an_odd_file_has_its_meaning_alone_compressed_and_among_others(tmp_path, oddity):
    alone, packed = written(tmp_path, oddity.content), written(tmp_path, oddity.content, "packed.csv.gz")
    written(tmp_path, oddity.content, "part-1.csv")
    written(tmp_path, oddity.content, "part-2.csv")
    assert read(alone) == read(packed) == oddity.records
    assert read(str(tmp_path / "part-*.csv")) == oddity.records * 2


@pytest.mark.parametrize("oddity", REFUSED, ids=str)
def test_an_ill_formed_file_is_refused_alone_compressed_and_among_others(tmp_path, oddity):
    written(tmp_path, WIDE + b"x,y\n", "part-1.csv")
    written(tmp_path, oddity.content, "part-2.csv")
    files = [written(tmp_path, oddity.content), written(tmp_path, oddity.content, "odd.csv.gz"), tmp_path / "part-*.csv"]
    for path in files:
        with pytest.raises(DiscreetError) as caught:
            read(path)
        assert caught.value.__context__ is None


@pytest.mark.parametrize("content", [b"x\nx", b"x\n\nx"])
def test_a_last_line_of_one_column_must_end(tmp_path, content):
    """Without its line break a last record with a missing value could not be seen."""
    with pytest.raises(FormatError, match="does not end in a line break"):
        read(written(tmp_path, NARROW + content))
    assert len(read(written(tmp_path, NARROW + content + b"\n"))) == content.count(b"\n") + 1


def test_a_blank_line_is_a_record_of_a_network_in_every_table(tmp_path):
    path = written(tmp_path, NARROW + b"x\n\nx\n")
    for table in (path, pl.DataFrame({"a": ["x", None, "x"]}), pd.DataFrame({"a": ["x", None, "x"]})):
        assert family_counts(table, ONE_NODE, missing="na")["a"].tolist() == [[2, 0, 1]]


def test_a_blank_line_is_a_missing_value_of_a_regression(tmp_path):
    model = LinearModel({"a": (0, 1)}, ("b", (0, 1)))
    assert moments(written(tmp_path, WIDE + b"0,1\n1,0\n"), model).rows == 2
    for odd in (b"\n", b",\n", b'"",1\n', b"  \n"):
        with pytest.raises(DiscreetError, match="'a' has a missing value or something that is not a number"):
            moments(written(tmp_path, WIDE + b"0,1\n" + odd + b"1,0\n"), model)


def test_empty_quotes_are_a_text_and_not_a_missing_value(tmp_path):
    with pytest.raises(DiscreetError, match="'b' holds a value that is not declared"):
        family_counts(written(tmp_path, WIDE + b'x,""\n'), NETWORK, missing="na")


FIELDS = st.sampled_from(["x", "y", "", '""', '"x"', '"x,y"', '"x""y"', '",x"', '"x,"', '","', '""""', '"\n"', '",\n"'])
LINES = st.text(alphabet='x,"\r \\\0', max_size=6)


@given(
    st.lists(st.tuples(FIELDS, FIELDS), max_size=4), LINES, st.integers(0, 4), st.sampled_from(["\n", "\r\n"]), st.booleans()
)
@example([("x", '"x"')], 'x,"', 0, "\n", False)
@example([("x", '""'), ("x", "x")], '"', 0, "\n", True)
def test_whatever_line_a_record_becomes_the_number_of_records_stays(tmp_path_factory, records, line, place, end, closed):
    lines = [",".join(record) for record in records]
    lines.insert(place, line)
    closed = closed or not lines[-1]
    path = tmp_path_factory.getbasetemp() / "neighbour.csv"
    path.write_bytes(("a,b" + end + end.join(lines) + (end if closed else "")).encode())
    try:
        found = read(path)
    except DiscreetError:
        return
    assert len(found) == len(lines)


@pytest.mark.parametrize(
    "line", [b'"x,y', b'x,"', b'"x"z,y', b'"x" ,y', b'x"x,y', b'x"",y', b'""",y', b' "x",y', b'"x\\"z",y']
)
@pytest.mark.parametrize("others", [(b"", b"\n"), (b'"x",y\n', b'\n","," ,"\n'), (b"x,y\n", b'\n"\n",""')])
def test_a_mark_out_of_place_is_found_before_the_file_is_read(tmp_path, line, others):
    """Not left to Polars, which finds some of them."""
    before, after = others
    with pytest.raises(FormatError, match="quotation mark out of place"):
        check_csv(written(tmp_path, WIDE + before + line + after), 2)
    check_csv(written(tmp_path, WIDE + before + b"x,y" + after), 2)


@pytest.mark.parametrize("start", range(8))
def test_marks_and_line_ends_are_followed_across_blocks(tmp_path, monkeypatch, start):
    """A block of the file may end anywhere: before a mark, after it, between a carriage return and its line feed."""
    monkeypatch.setattr("discreet.data.text_files._BLOCK", 7)
    filling = b"x" * start
    good = filling + b',"x""\r\n""x"\r\n' + b'"\n\n\n\n\n\n\n\n\n\r",y\r\n,\r\n'
    assert len(read(written(tmp_path, WIDE + good))) == 3
    for bad in (
        b'"\n\n\n\n\n\n\n\n\n\n\nx',
        b'\n\n\n\nx"',
        b"\n\n\n\nx\rx\n",
        b'"\n\n\n\n\n\n\n\n"x\n',
        b"\n\n\n\n\n\n\n\0\n",
    ):
        with pytest.raises(FormatError):
            check_csv(written(tmp_path, WIDE + filling + bad), 2)


@pytest.mark.parametrize("line", ["", " ", "\t\r", "\x0b"])
@pytest.mark.parametrize("place", range(3))
def test_a_blank_line_of_an_ndjson_file_is_refused(tmp_path, line, place):
    lines = ['{"a": "x"}', '{"a": "y"}']
    path = tmp_path / "records.ndjson"
    path.write_text("\n".join(lines) + "\n")
    assert read(path) == [("x", None), ("y", None)]
    lines.insert(place, line)
    for end in ["\n"] if not line else ["\n", ""]:
        path.write_text("\n".join(lines) + end, newline="")
        with pytest.raises(FormatError, match=r"'records\.ndjson' has a blank line"):
            read(path)


def test_no_word_of_a_refused_file_is_shown(tmp_path):
    for line in (f'{SECRET}"\n', f'"{SECRET}\n', f"{SECRET}\r{SECRET}\n", f"{SECRET}\0\n", f'"{SECRET}"{SECRET}\n'):
        with pytest.raises(FormatError) as caught:
            read(written(tmp_path, WIDE + line.encode()))
        assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_a_gap_in_every_field_and_a_blank_line_are_the_same_record(tmp_path):
    assert read(written(tmp_path, WIDE + b",\n\n")) == [GAP, GAP]


@pytest.mark.parametrize("name", ["records.ndjson", "records.jsonl", "records.csv"])
@pytest.mark.parametrize(
    "pack", [gzip.compress, zlib.compress, lambda text: b"\x28\xb5\x2f\xfd" + text], ids=["gzip", "zlib", "zstd"]
)
def test_a_compressed_file_whose_name_does_not_say_so_is_refused(tmp_path, name, pack):
    """Polars would unpack it, whatever it is called, after other bytes were checked."""
    path = tmp_path / name
    path.write_bytes(pack(b'{"a": "x"}\n\n{"a": "x"}\n'))
    with pytest.raises(FormatError, match=r"its name does not say so|cannot be read as a CSV file"):
        read(path)


def test_a_compressed_file_with_something_behind_it_is_refused_in_our_words(tmp_path):
    path = tmp_path / "records.csv.gz"
    path.write_bytes(gzip.compress(WIDE + b"x,y\n") + bytes(20))
    with pytest.raises(FormatError):
        read(path)

"""Text files with another delimiter, encoding or decimal sign: the same meaning, and no record changes how many there are."""

import codecs
import gzip
import io
import traceback

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.csv_oddities import READ, REFUSED, WIDE

from discreet import Csv, DataError, DiscreetError, FormatError, LinearModel
from discreet.counts import family_counts
from discreet.counts.moments import moments
from discreet.data.source import batches, estimated_rows, open_table
from discreet.data.text_encodings import ENCODINGS
from discreet.model.network import Network
from discreet.model.variable import Variable

SECRET = "Sapphire-4711"
DELIMITERS = [";", "\t", "|", ":", "^", "~", " ", "\x1f"]
NETWORK = Network([Variable("a", ["é", "x"]), Variable("b", ["0.5", "x"])])


def read(data):
    source = open_table(data, ("a", "b"))
    columns = source.frame.collect_schema().names()
    return [row for batch in batches(source, [pl.col(name) for name in columns]) for row in batch.rows()]


def exchanged(text, delimiter):
    """The same with the comma and the delimiter in each other's place."""
    comma, other = (",", delimiter) if isinstance(text, str) else (b",", delimiter.encode())
    return other.join(part.replace(other, comma) for part in text.split(comma))


def meaning(records, delimiter):
    return [tuple(None if value is None else exchanged(value, delimiter) for value in record) for record in records]


@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_odd_files_have_their_meaning_with_every_delimiter(tmp_path, delimiter):
    for oddity in READ:
        path = tmp_path / "odd.txt"
        path.write_bytes(exchanged(oddity.content, delimiter))
        assert read(Csv(path, delimiter)) == meaning(oddity.records, delimiter), oddity.name


@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_ill_formed_files_are_refused_with_every_delimiter(tmp_path, delimiter):
    for oddity in REFUSED:
        path = tmp_path / "odd.txt"
        path.write_bytes(exchanged(oddity.content, delimiter))
        with pytest.raises(DiscreetError) as caught:
            read(Csv(path, delimiter))
        assert caught.value.__context__ is None, oddity.name


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "shift_jis", "gb18030", "koi8-r"])
def test_odd_files_have_their_meaning_in_every_encoding(tmp_path, encoding):
    read_ones = 0
    for oddity in READ:
        path = tmp_path / "odd.csv"
        try:
            path.write_bytes(oddity.content.decode().encode(encoding))
        except UnicodeEncodeError:  # a letter that this encoding has not
            continue
        assert read(Csv(path, encoding=encoding)) == oddity.records, oddity.name
        packed = tmp_path / "odd.csv.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        assert read(Csv(packed, encoding=encoding)) == oddity.records, oddity.name
        read_ones += 1
    assert read_ones >= 30


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "big5"])
def test_ill_formed_files_are_refused_in_every_encoding(tmp_path, encoding):
    refused = [oddity for oddity in REFUSED if oddity.name not in ("not UTF-8", "UTF-16", "compressed under another name")]
    for oddity in refused:
        path = tmp_path / "odd.csv"
        path.write_bytes(oddity.content.decode().encode(encoding))
        with pytest.raises(DiscreetError):
            read(Csv(path, encoding=encoding))


@pytest.mark.fast("cp1252", "utf*", "cp866", "iso8859-15", "shift_jis", "gb18030", "big5", "euc*")
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_no_encoding_lets_a_line_swallow_its_line_feed(encoding):
    """Every beginning of up to two bytes before a line feed: it is not text, or the line feed and what follows are there."""
    start, feed = "x".encode(encoding), "\n".encode(encoding)[-2 if encoding.startswith("utf-16") else -1 :]
    start = start[-len(feed) :]
    unit = len(feed)
    beginnings = [bytes([one]) for one in range(256)] + [bytes([one, two]) for one in range(128, 256) for two in range(256)]
    for beginning in beginnings:
        if len(beginning) % unit:
            continue
        line = start + beginning + feed
        name = "utf-16-le" if encoding == "utf-16" else encoding
        try:
            text = (line + start).decode(name)
        except UnicodeError:
            continue
        assert text == line.decode(name) + "x"
        assert text[-2] == "\n"


@pytest.mark.parametrize("encoding", ["utf-7", "iso2022_jp", "hz", "cp037", "utf-32", "rot13", "base64", "no such", 7])
def test_an_encoding_in_which_a_record_changes_the_next_one_is_refused(encoding):
    with pytest.raises(FormatError, match="encoding cannot be read"):
        Csv("table.csv", encoding=encoding)


FIELDS = ["x", "y", "", '""', '"x"', '"x,y"', '"x""y"', '",x"', '"x,"', '","', '""""', '"\n"', '",\n"', "é", '"é,"', "0,5"]


@given(
    st.lists(st.tuples(st.sampled_from(FIELDS), st.sampled_from(FIELDS)), max_size=4),
    st.text(alphabet='x,;é"\r \t\\\0', max_size=6),
    st.integers(0, 4),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([",", *DELIMITERS]),
    st.sampled_from(["utf-8", "latin-1", "utf-16-be"]),
    st.sampled_from([".", ","]),
)
def test_whatever_line_a_record_becomes_the_number_of_records_stays(
    tmp_path_factory, records, line, place, end, delimiter, encoding, decimal
):
    lines = [",".join(record) for record in records]
    lines.insert(place, line)
    path = tmp_path_factory.getbasetemp() / "neighbour.txt"
    path.write_bytes(exchanged("a,b" + end + end.join(lines) + end, delimiter).encode(encoding))
    if decimal == delimiter:
        return
    try:
        found = read(Csv(path, delimiter, encoding, decimal))
    except DiscreetError:
        return
    assert len(found) == len(lines)


def test_a_name_that_ends_in_tsv_says_that_tabs_separate_the_fields(tmp_path):
    for name in ("table.tsv", "table.TSV", "table.tsv.gz"):
        content = b"a\tb\nx,1\ty\n"
        (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        assert read(tmp_path / name) == read(Csv(tmp_path / name)) == [("x,1", "y")]
    (tmp_path / "other.csv").write_bytes(b"a,b\nx,y\n")
    with pytest.raises(FormatError, match=r"Some of the files are \.tsv"):
        read([tmp_path / "table.tsv", tmp_path / "other.csv"])


def test_a_table_that_is_separated_otherwise_says_which_delimiter_to_name(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b'"a";"b"\nx;y\n')
    with pytest.raises(DataError, match=r'separated by semicolons. Say so: Csv\(path, delimiter=";"\)'):
        read(path)
    assert read(Csv(path, ";")) == [("x", "y")]
    path.write_bytes(b"a,b\nx,y\n")
    with pytest.raises(DataError, match=r'separated by commas. Say so: Csv\(path, delimiter=","\)'):
        read(Csv(path, "tab"))


def test_letters_are_those_of_the_encoding_and_a_wrong_one_is_refused_without_a_word_of_the_file(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(f"a,b\né,{SECRET}\n".encode("latin-1"))
    assert read(Csv(path, encoding="latin-1")) == [("é", SECRET)]
    for wrong, advice in (("utf-8", None), ("shift_jis", "is not text in the encoding shift_jis"), ("ascii", "ascii")):
        with pytest.raises(FormatError, match=advice) as caught:
            read(Csv(path, encoding=wrong))
        assert SECRET not in "".join(traceback.format_exception(caught.value))
        assert caught.value.__context__ is None


def test_a_stream_is_read_like_a_file_as_often_as_it_is_asked_for():
    content = Csv(io.BytesIO("a;b\né;0,5\nx;x\n".encode("latin-1")), ";", "latin-1", ",")
    for _ in range(2):
        assert family_counts(content, NETWORK)["b"].tolist() == [[1, 1]]
    assert estimated_rows(content) is None
    with pytest.raises(DataError, match=r"sys\.stdin\.buffer"):
        Csv(io.StringIO("a,b\n"))


def test_what_a_stream_held_is_not_shown():
    assert SECRET not in repr(Csv(io.BytesIO(f"a,b\n{SECRET},x\n".encode())))


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("0,5", "0.5"),
        ("-1,25e3", "-1.25e3"),
        ("12", "12"),
        (",5", ".5"),
        ("1.234", "1,234"),
        ("1.234,5", "1,234.5"),
        ("x,y", "x,y"),
        ("v1.5", "v1.5"),
        ("", ""),
    ],
)
def test_with_a_decimal_comma_only_a_comma_stands_before_decimals(tmp_path, given, meant):
    path = tmp_path / "table.csv"
    path.write_text(f'a;b\n"{given}";x\n')
    assert read(Csv(path, ";", decimal=",")) == [(meant, "x")]
    assert read(Csv(path, ";")) == [(given, "x")]


def test_a_regression_reads_decimal_commas_and_takes_no_thousands_for_decimals(tmp_path):
    model = LinearModel({"a": (0, 2)}, ("b", (0, 2)))
    (tmp_path / "points.csv").write_text("a;b\n0.5;1\n1.25;0\n")
    (tmp_path / "commas.csv").write_text("a;b\n0,5;1\n1,25;0\n")
    commas, points = (
        moments(Csv(tmp_path / "commas.csv", ";", decimal=","), model),
        moments(Csv(tmp_path / "points.csv", ";"), model),
    )
    assert commas.products.tolist() == points.products.tolist()
    assert commas.sums.tolist() == points.sums.tolist()
    for wrong in (Csv(tmp_path / "commas.csv", ";"), Csv(tmp_path / "points.csv", ";", decimal=",")):
        with pytest.raises(DataError, match="'a' has a missing value or something that is not a number"):
            moments(wrong, model)


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"delimiter": ""}, "A delimiter is one of"),
        ({"delimiter": ";;"}, "A delimiter is one of"),
        ({"delimiter": '"'}, "A delimiter is one of"),
        ({"delimiter": "\n"}, "A delimiter is one of"),
        ({"delimiter": "é"}, "A delimiter is one of"),
        ({"delimiter": 5}, "A delimiter is one of"),
        ({"decimal": ""}, "decimal sign"),
        ({"decimal": ","}, "between fields and before decimals"),
        ({"decimal": ",", "delimiter": ","}, "between fields and before decimals"),
    ],
)
def test_what_cannot_be_meant_is_refused(options, advice):
    with pytest.raises(FormatError, match=advice):
        Csv("table.csv", **options)
    assert Csv("table.tsv", decimal=",").separator("table.tsv") == "\t"


def test_a_csv_value_is_about_files():
    for other in (7, None, {"a": ["x"]}, [7]):
        with pytest.raises(DataError, match="is not a file"):
            Csv(other)


def test_every_encoding_has_its_name_in_python():
    assert [codecs.lookup(name).name for name in ENCODINGS] == list(ENCODINGS)


def test_the_command_word_tab_is_a_tab(tmp_path):
    (tmp_path / "table.txt").write_bytes(WIDE.replace(b",", b"\t") + b"x\ty\n")
    assert read(Csv(tmp_path / "table.txt", "tab")) == read(Csv(tmp_path / "table.txt", "\\t")) == [("x", "y")]


def test_records_with_decimal_commas_come_in_their_order(tmp_path):
    (tmp_path / "table.csv").write_text("a;b\n" + "".join(f"{number},5;x\n" for number in range(30_000)))
    for encoding in ("utf-8", "latin-1"):
        found = read(Csv(tmp_path / "table.csv", ";", encoding, ","))
        assert [record[0] for record in found] == [f"{number}.5" for number in range(30_000)]

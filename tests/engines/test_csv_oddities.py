"""Spark and DuckDB on the table of odd CSV files: the meaning that files have without them, or a refusal."""

import gzip
import traceback

import polars as pl
import pytest
from support.csv_oddities import NARROW, READ, REFUSED, WIDE, Oddity
from support.optional import need

from discreet import DataError, DiscreetError, FormatError, LinearModel
from discreet.counts import family_counts
from discreet.counts.moments import moments
from discreet.data import code_batches, spark_table, sql_table
from discreet.data.engine_files import _is_ill_formed
from discreet.model.network import Network
from discreet.model.variable import Variable

SECRET = "Sapphire-4711"
LEVELS = ["x", "y", "na"]
ONE_NODE = Network([Variable("a", LEVELS)])
NETWORK = Network([Variable("a", LEVELS), Variable("b", LEVELS)], {"b": ["a"]})


def folder_of(place, oddities):
    place.mkdir()
    for number, oddity in enumerate(oddities):
        if number % 2:
            (place / f"{number}.csv").write_bytes(oddity.content)
        else:
            (place / f"{number}.csv.gz").write_bytes(gzip.compress(oddity.content))
    return place


def multiset(records):
    return sorted(map(repr, map(tuple, records)))


@pytest.mark.slow
@pytest.mark.parametrize("header", [WIDE, NARROW], ids=["two columns", "one column"])
def test_spark_reads_a_folder_of_odd_files_as_they_are_read_without_it(spark, tmp_path, header):
    oddities = [oddity for oddity in READ if oddity.content.startswith(header) and oddity.one_line]
    assert len(oddities) >= 5
    expected = [record for oddity in oddities for record in oddity.records]
    assert multiset(spark_table(folder_of(tmp_path / "odd.csv", oddities)).collect()) == multiset(expected)


OTHER_HEADERS = [oddity for oddity in READ if not oddity.content.startswith((WIDE, NARROW))]
ENDS = [oddity for oddity in READ if oddity.name in ("no final line break", "only a header")]


@pytest.mark.fast("quoted fields")
@pytest.mark.parametrize("oddity", OTHER_HEADERS + ENDS, ids=str)
def test_spark_reads_an_odd_file_as_it_is_read_without_it(spark, tmp_path, oddity):
    path = tmp_path / "odd.csv"
    path.write_bytes(oddity.content)
    assert [tuple(record) for record in spark_table(path).collect()] == oddity.records


def lines_of(oddity):
    return [line.removesuffix(b"\r") for line in oddity.content.removeprefix(b"\xef\xbb\xbf").split(b"\n")[1:]]


def test_spark_finds_the_line_that_is_ill_formed_in_each_file_that_is_refused(spark):
    """In one query, since each takes a while: a file is refused for one such line."""
    from pyspark.sql import functions as F  # noqa: N812

    refused = [oddity for oddity in REFUSED if oddity.content.startswith(WIDE)]
    refused += [oddity for oddity in READ if not oddity.one_line]
    assert len(refused) >= 20
    read = [oddity for oddity in READ if oddity.one_line and oddity.content.startswith(WIDE)]
    rows = [(oddity.name, line) for oddity in refused + read for line in lines_of(oddity)]
    lines = spark.createDataFrame(pl.DataFrame(rows, schema={"name": pl.String, "line": pl.Binary}, orient="row").to_arrow())
    ill_formed = lines.groupBy("name").agg(F.max(_is_ill_formed(F.col("line").cast("string"), 2))).collect()
    assert {name for name, found in ill_formed if found} == {oddity.name for oddity in refused}


NO_HEADER = [oddity for oddity in REFUSED if not oddity.content.startswith(WIDE)]
SOME = [
    oddity for oddity in REFUSED if oddity.name in ("open quote before the last record", "line with a zero byte", "not UTF-8")
]
AGAIN = Oddity("header line again", WIDE + b"x,y\na,b\n", None)


@pytest.mark.fast("old line ends", "nothing", "not UTF-8")
@pytest.mark.parametrize("oddity", [*NO_HEADER, *SOME, AGAIN], ids=str)
def test_spark_refuses_an_ill_formed_file(spark, tmp_path, oddity):
    path = tmp_path / "odd.csv"
    path.write_bytes(oddity.content)
    with pytest.raises(DiscreetError) as caught:
        spark_table(path)
    assert caught.value.__context__ is None


@pytest.mark.slow
def test_a_blank_line_is_a_record_of_a_network_that_spark_counts(spark, tmp_path):
    path = tmp_path / "one.csv"
    path.write_bytes(NARROW + b"x\n\nx\n")
    assert family_counts(spark_table(path), ONE_NODE, missing="na")["a"].tolist() == [[2, 0, 1]]
    assert family_counts(path, ONE_NODE, missing="na")["a"].tolist() == [[2, 0, 1]]
    assert sum(len(batch["a"]) for batch in code_batches(spark_table(path), ONE_NODE, missing="na")) == 3


def test_a_regression_on_text_that_spark_reads_is_refused(spark, tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_bytes(WIDE + b"0,1\n\n1,0\n")
    with pytest.raises(DataError, match="'a' is not numeric"):
        moments(spark_table(path), LinearModel({"a": (0, 1)}, ("b", (0, 1))))


@pytest.mark.fast("open quote", "other order")
@pytest.mark.parametrize(
    ("second", "advice"),
    [
        (b"", "is empty"),
        (b"b,a\nx,y\n", "different header lines"),
        (b"x,y\na,b\n", "different header lines"),
        (f"{SECRET},y\n".encode(), "different header lines"),
        (b"a,b\nx,y\na,b\n", "a second time"),
        (f'a,b\n{SECRET},"\n'.encode(), "cannot be read as one record"),
    ],
    ids=["empty", "other order", "header line last", "no header line", "twice", "open quote"],
)
def test_a_folder_with_one_bad_file_is_refused_and_none_of_it_is_shown(spark, tmp_path, capfd, second, advice):
    (tmp_path / "all.csv").mkdir()
    (tmp_path / "all.csv" / "1.csv").write_bytes(WIDE + b"x,y\n" * 10)
    (tmp_path / "all.csv" / "2.csv").write_bytes(second)
    with pytest.raises(DiscreetError, match=advice) as caught:
        spark_table(tmp_path / "all.csv")
    assert SECRET not in "".join(traceback.format_exception(caught.value)) + "".join(capfd.readouterr())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("header", "cause"),
    [
        (f"{SECRET};a;b", "separated by semicolons"),
        (f'"{SECRET}";"a";"b"', "not separated by commas"),
        (f"A,b,{SECRET}", "differs from 'a' only in capitals"),
        (f"a, b,{SECRET}", "differs from 'b' only in capitals, or in blanks"),
        (f"{SECRET},x", "A CSV file needs a header line"),
    ],
)
def test_the_likely_cause_of_a_missing_column_is_named_with_spark_too(spark, tmp_path, header, cause):
    path = tmp_path / "odd.csv"
    path.write_text(f"{header}\nx\n")
    with pytest.raises(DiscreetError, match=cause) as caught:
        family_counts(spark_table(path), NETWORK)
    assert SECRET not in "".join(traceback.format_exception(caught.value))


@pytest.mark.slow
def test_a_file_that_spark_splits_has_one_header_line_and_all_its_records(spark, tmp_path):
    path = tmp_path / "long.csv"
    path.write_bytes(WIDE + b'x,"y"\n\ny,x\r\n' * 20_000)
    spark.conf.set("spark.sql.files.maxPartitionBytes", "30000")
    try:
        frame = spark_table(path)
        assert frame.select(need("pyspark.sql.functions").spark_partition_id()).distinct().count() > 5
        assert family_counts(frame, NETWORK, missing="na")["b"].tolist() == [[0, 20_000, 0], [20_000, 0, 0], [0, 0, 20_000]]
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")


@pytest.mark.slow
def test_a_damaged_file_is_refused_also_by_a_session_that_passes_over_such_files(spark, tmp_path):
    (tmp_path / "all.csv").mkdir()
    whole = gzip.compress(WIDE + b"x,y\n" * 100_000)
    (tmp_path / "all.csv" / "1.csv.gz").write_bytes(whole)
    (tmp_path / "all.csv" / "2.csv.gz").write_bytes(whole[:-100])
    spark.conf.set("spark.sql.files.ignoreCorruptFiles", "true")
    try:
        with pytest.raises(FormatError, match="Spark cannot read"):
            spark_table(tmp_path / "all.csv")
    finally:
        spark.conf.unset("spark.sql.files.ignoreCorruptFiles")


def test_a_frame_that_spark_reads_from_text_by_itself_is_refused(spark, tmp_path):
    (tmp_path / "a.csv").write_bytes(NARROW + b"x\n\nx\n")
    (tmp_path / "a.json").write_bytes(b'{"a": "x"}\n\n')
    spark.read.csv(str(tmp_path / "a.csv"), header=True).createOrReplaceTempView("odd_lines")
    frames = [
        spark.table("odd_lines"),
        spark.sql("SELECT a FROM odd_lines WHERE a > ''"),
        spark.read.json(f"{tmp_path}/a.json"),
    ]
    for frame in frames:
        with pytest.raises(DataError, match="leaves out blank lines"):
            family_counts(frame, ONE_NODE)
        with pytest.raises(DataError, match="leaves out blank lines"):
            list(code_batches(frame, ONE_NODE))
        with pytest.raises(DataError, match="leaves out blank lines"):
            moments(frame, LinearModel({"a": (0, 1)}, ("b", (0, 1))))


def test_a_table_that_duckdb_reads_from_text_by_itself_is_refused(tmp_path):
    duckdb = need("duckdb")
    (tmp_path / "a.csv").write_bytes(NARROW + b"x\n\nx\n")
    (tmp_path / "a.json").write_bytes(b'{"a": "x"}\n\n')
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW lines AS FROM '{tmp_path}/a.csv'")
        relations = [
            connection.read_csv(f"{tmp_path}/a.csv"),
            connection.table("lines"),
            connection.read_json(f"{tmp_path}/a.json"),
        ]
        for relation in relations:
            with pytest.raises(DataError, match="leaves out blank lines"):
                family_counts(relation, ONE_NODE)
        loaded = connection.sql("SELECT 'x' AS a, 'READ_CSV' AS b")
        assert family_counts(loaded.project("a"), ONE_NODE)["a"].tolist() == [[1, 0, 0]]


def test_a_query_that_reads_text_is_refused_and_a_table_in_memory_is_not(tmp_path):
    ibis, duckdb = need("ibis"), need("duckdb")
    assert family_counts(ibis.memtable({"a": ["x"]}), ONE_NODE)["a"].tolist() == [[1, 0, 0]]
    (tmp_path / "a.csv").write_bytes(NARROW + b"x\n\nx\n")
    duckdb.connect(str(tmp_path / "a.duckdb")).close()
    table = sql_table(f"FROM '{tmp_path}/a.csv'", f"duckdb:///{tmp_path}/a.duckdb")
    try:
        with pytest.raises(DataError, match="leaves out blank lines"):
            family_counts(table, ONE_NODE)
    finally:
        table.get_backend().disconnect()

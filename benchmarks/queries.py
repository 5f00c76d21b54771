"""Exact queries on ALARM with eleven observed nodes, against pyAgrum and pgmpy."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import discreet as dc

from .networks import bif, point
from .results import OURS, Goal, Kind, Row
from .timing import measured

_OBSERVED, _REPEATS = 11, 31


def run() -> list[Row]:
    """One query for one distribution, all contenders in turn, and one with a credible interval, which has no peer."""
    posterior = point("alarm")
    generator = np.random.default_rng(11)
    record = posterior.sample(1, generator).row(0, named=True)
    target, *given = (str(node) for node in generator.permutation(posterior.network.nodes)[: _OBSERVED + 1])
    evidence = {node: record[node] for node in given}
    contenders = {
        OURS: lambda: partial(posterior.query, target, evidence, interval=None),
        "pyAgrum": lambda: _pyagrum(target, evidence),
        "pgmpy": lambda: _pgmpy(target, evidence),
    }
    goals = {"pyAgrum": Goal(Kind.FASTER, 1), "pgmpy": Goal(Kind.FASTER, 3)}
    rows = measured("queries", f"ALARM, {_OBSERVED} observed nodes", contenders, goals, repeats=_REPEATS)
    return rows + _uncertain(posterior, target, evidence)


def _uncertain(truth: dc.PointPosterior, target: str, evidence: dict[str, str]) -> list[Row]:
    """The same with intervals, asked of the release file that people get."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "alarm.json"
        records = truth.sample(10_000, np.random.default_rng(12))
        dc.release(records, truth.network, dc.Auto("1"), ledger=dc.Ledger.unlimited()).save(file)
        posterior = dc.load(file).posterior
        posterior.query(target, evidence)
        contenders = {
            OURS: lambda: lambda: dc.load(file).posterior.query(target, evidence),
            "any later question": lambda: partial(posterior.query, target, evidence),
            "a question to a Dirichlet posterior": lambda: partial(
                dc.DirichletPosterior(truth.network).query, target, evidence
            ),
        }
        return measured("queries", "the same with an interval, the first question to a release file", contenders, {})


def _pyagrum(target: str, evidence: dict[str, str]) -> Callable[[], Any]:
    import pyagrum

    with tempfile.TemporaryDirectory() as folder:
        network = pyagrum.loadBN(str(bif("alarm", Path(folder))))

    def ask() -> Any:
        inference = pyagrum.LazyPropagation(network)
        inference.setEvidence(evidence)
        inference.setTargets({target})
        inference.makeInference()
        return inference.posterior(target)

    return ask


def _pgmpy(target: str, evidence: dict[str, str]) -> Callable[[], Any]:
    from pgmpy.inference import VariableElimination
    from pgmpy.readwrite import BIFReader

    with tempfile.TemporaryDirectory() as folder:
        model = BIFReader(str(bif("alarm", Path(folder)))).get_model()
    engine = VariableElimination(model)
    return lambda: engine.query([target], evidence, show_progress=False)

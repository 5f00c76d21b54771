"""How each peer counts the families of a network. Each function sets up outside the clock and gives back the timed work.

A peer is imported where it is used: one that is not installed costs its own rows and no others.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import discreet as dc

__all__ = [
    "bernoulli_naive_bayes",
    "bernoulli_naive_bayes_on_one_thread",
    "categorical_naive_bayes",
    "mbi",
    "pgmpy",
    "pyagrum",
]

Codes = dict[str, np.ndarray]


def mbi(network: dc.Network, codes: Codes) -> Callable[[], Any]:
    """One projection of a data set per family."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the precision of JAX
        from mbi import Dataset, Domain
    domain = Domain(network.nodes, [variable.size for variable in network.variables])
    data = Dataset(codes, domain)
    return lambda: [data.project(family.members) for family in network.families]


def pgmpy(network: dc.Network, codes: Codes) -> Callable[[], Any]:
    """Fit with its Bayesian estimator, on integer columns."""
    import pandas as pd
    from pgmpy.models import DiscreteBayesianNetwork
    from pgmpy.parameter_estimator import DiscreteBayesianEstimator

    frame = pd.DataFrame(codes)
    states = {variable.name: list(range(variable.size)) for variable in network.variables}
    edges = [(parent, node) for node, parents in network.parents.items() for parent in parents]

    def fit() -> Any:
        model = DiscreteBayesianNetwork(edges)
        model.add_nodes_from(network.nodes)
        return model.fit(frame, estimator=DiscreteBayesianEstimator(state_names=states))

    return fit


def pyagrum(point: dc.PointPosterior, codes: Codes) -> Callable[[], Any]:
    """Learn parameters from a database that it has loaded before."""
    import polars as pl
    import pyagrum as gum

    from .networks import bif

    with tempfile.TemporaryDirectory() as folder:
        model = gum.loadBN(str(bif("alarm", Path(folder))))
        table = Path(folder) / "records.csv"
        levels = {one.name: pl.Series(one.name, one.levels) for one in point.network.variables}
        pl.DataFrame([levels[node].gather(column) for node, column in codes.items()]).write_csv(table)
        learner = gum.BNLearner(str(table), model)
    learner.useSmoothingPrior(1)
    return lambda: learner.learnParameters(model.dag())


def bernoulli_naive_bayes(codes: Codes, target: str) -> Callable[[], Any]:
    """Fit on floating point numbers that are 0 and 1 already: its best input."""
    from sklearn.naive_bayes import BernoulliNB

    values = np.column_stack([column for node, column in codes.items() if node != target]).astype(np.float64)
    classes = codes[target].copy()
    return lambda: BernoulliNB(binarize=None).fit(values, classes)


def bernoulli_naive_bayes_on_one_thread(codes: Codes, target: str) -> Callable[[], Any]:
    """The same with one thread for matrix products."""
    from threadpoolctl import ThreadpoolController

    fit = bernoulli_naive_bayes(codes, target)
    controller = ThreadpoolController()

    def fit_on_one_thread() -> Any:
        with controller.limit(limits=1, user_api="blas"):
            return fit()

    return fit_on_one_thread


def categorical_naive_bayes(codes: Codes, target: str) -> Callable[[], Any]:
    """Fit on integers."""
    from sklearn.naive_bayes import CategoricalNB

    values = np.column_stack([column for node, column in codes.items() if node != target]).astype(np.int64)
    classes = codes[target].copy()
    return lambda: CategoricalNB().fit(values, classes)

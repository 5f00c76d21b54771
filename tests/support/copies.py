"""Records that break what naive Bayes believes."""

import numpy as np
import polars as pl

from discreet.model.templates import naive_bayes
from discreet.posterior import DirichletPosterior, PointPosterior

__all__ = ["copied_feature"]


def copied_feature(copies, right, *, seed, second=0.5):
    """One feature, which equals the class so often, copied; naive Bayes fitted to the records, and 20,000 of them."""
    network = naive_bayes("class", [f"x{number}" for number in range(copies)])
    generator = np.random.default_rng(seed)
    label = (generator.random(20_000) < second).astype(np.int64)
    feature = np.where(generator.random(20_000) < right, label, 1 - label)
    columns = {"class": label, **{f"x{number}": feature for number in range(copies)}}
    records = pl.DataFrame(columns).with_columns(pl.all().cast(pl.String))
    exactly = DirichletPosterior(network).update(records)
    return PointPosterior(network, {node: exactly.mean(node) for node in network.nodes}), records

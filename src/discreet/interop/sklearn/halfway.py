"""Half of a learned graph, half of naive Bayes: what a calibrated tree-augmented naive Bayes predicts with."""

from __future__ import annotations

import numpy as np

from discreet.arrays import Floats
from discreet.inference.beliefs import Beliefs
from discreet.posterior.point import PointPosterior

__all__ = ["halfway"]


def halfway(posterior: Beliefs, target: str) -> PointPosterior:
    """The mean of a posterior, every table halfway to what it says without the parent that was learned.

    Parents besides the target bring noise with them, of which log-odds sum up a part for each; what the target alone says
    of a node is better known. Probabilities of either are too near 0 and 1, so it is for predictions that are calibrated.
    It follows from what was published, and costs nothing.
    """
    network = posterior.network
    alone: dict[str, Floats] = {}  # target x levels
    tables = {}
    for node in network.topological_order:
        table, parents = posterior.mean(node), network.parents[node]
        if target not in parents or len(parents) > 2:
            tables[node] = table
            continue
        alone[node], tables[node] = table, table
        if len(parents) == 2:
            shaped = table.reshape(*(network.variable(parent).size for parent in parents), -1)
            (other,) = (parent for parent in parents if parent != target)
            turned = shaped if parents[0] == target else shaped.swapaxes(0, 1)
            alone[node] = np.einsum("to,tol->tl", alone[other], turned)
            mixed = (turned + alone[node][:, None, :]) / 2
            tables[node] = (mixed if parents[0] == target else mixed.swapaxes(0, 1)).reshape(table.shape)
    return PointPosterior(network, tables)
